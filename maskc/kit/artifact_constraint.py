"""The constraint of an artifact, whose terminals can be narrowed for one request."""

from __future__ import annotations

from maskc.kit.constraint import Constraint
from maskc.kit.making import Maker
from maskc.runtime.artifact import Artifact
from maskc.runtime.holes.bound import Given
from maskc.runtime.link.joining.expressions import Expression


class ArtifactConstraint(Constraint):
    """The texts of an artifact.

    Args:
        maker: of the kit.
        artifact: of the kit's tokenizer.
        expression: the artifact's piece.
    """

    def __init__(self, maker: Maker, artifact: Artifact, expression: Expression) -> None:
        made = maker.link(expression)
        super().__init__(expression, made.machine, made.tokens)
        self._maker, self._artifact = maker, artifact

    def bind(self, **holes: Given) -> Constraint:
        """Return the constraint with terminals narrowed; see :meth:`maskc.Artifact.bind`.

        Raises:
            HoleError, TypeError, UnknownSymbolError: as there.
        """
        bound = self._artifact.bind(**holes)
        return self._maker.link(
            self._maker.joints.leaf(self._maker.machine(self._artifact, bound.machine))
        )
