"""Does vLLM go through the methods that the plug-in put itself around?

Two requests are sent through vLLM's own code: one names an artifact, with a name that is none, and
must be refused by maskc at both ends; the other has a grammar, and must reach the backend.

Example: a manager whose ``grammar_init`` no longer calls ``_create_grammar`` is refused with ``the
engine does not ask us for a request's grammar``.
"""

from __future__ import annotations

from typing import Any

from maskc.errors import ArtifactError
from maskc.integrations.drift import Interface
from maskc.integrations.errors import load_engine


def check_route(interface: Interface, manager: type[Any]) -> None:
    """Send two requests through vLLM's own code.

    Args:
        interface: what is known of vLLM.
        manager: its class of that name, with the plug-in around its methods.

    Raises:
        IntegrationError: either went the wrong way.
    """
    sampling = load_engine("vllm.sampling_params", interface.engine)
    requests = load_engine("vllm.v1.structured_output.request", interface.engine)
    refused = load_engine("vllm.exceptions", interface.engine).VLLMValidationError
    probe: Any = object.__new__(manager)
    probe._use_async_grammar_compilation = False  # noqa: SLF001 - vLLM has no public way
    probe.backend, probe.backend_name = _Recorder(), "recorder"
    found = []
    for text in ("maskc:// no name", 'root ::= "a"'):
        params = sampling.SamplingParams(
            structured_outputs=sampling.StructuredOutputsParams(grammar=text)
        )
        params.structured_outputs._backend = "recorder"  # noqa: SLF001
        asked = requests.StructuredOutputRequest.from_sampling_params(params)
        try:
            probe.grammar_init(_Request(asked, params))
        except (AssertionError, AttributeError, TypeError) as error:
            # It reads what the probe has not: what else is new, we cannot know.
            raise interface.drifted(f"our self-test failed with {error!r}") from error
        found.append(asked.grammar)
        if text.startswith("maskc"):
            try:
                params._validate_structured_outputs(None, None, None)  # noqa: SLF001
            except refused:
                continue
            raise interface.drifted("the front end does not ask us about a request's grammar")
    if not isinstance(found[0], ArtifactError):
        raise interface.drifted("the engine does not ask us for a request's grammar")
    if found[1] != ("GRAMMAR", 'root ::= "a"'):
        raise interface.drifted(
            "the configured backend is not asked for the grammars that are its own"
        )


class _Recorder:
    """A backend that gives back what it is asked for."""

    def compile_grammar(self, kind: Any, text: str, **_: Any) -> tuple[str, str]:
        return kind.name, text


class _Request:
    """What the manager reads of a request."""

    request_id = "maskc self-test"

    def __init__(self, asked: Any, params: Any) -> None:
        self.structured_output_request, self.sampling_params = asked, params
