"""The DFT pushdown automaton of a small grammar as a graph.

A state is a terminal that was just read, the start •X or the end X• of a nonterminal, or ``$END``.
A stack symbol ``X ::= α1…αk`` is written ``p.k``: the first k symbols of production p. So an edge
is labelled ``+p.k`` where it pushes, ``−p.k`` where it pops, ``p.j → p.k`` where it replaces, and
ε where it leaves the stack alone. What it reads is where it leads, if that is a terminal.

Edges with the same ends are one, with a line of its label for each. Beyond ``MAX_PRODUCTIONS`` or
``MAX_TRANSITIONS`` a drawing would help nobody.

Source: blog, Figure 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from maskc.analysis.dft import BOTTOM, DftAutomaton, StackSymbol, Transition
from maskc.analysis.successors import END_NODE, Node, Side, format_node
from maskc.report.html.layers import Edge
from maskc.report.html.layout import Box, Drawing, Point, lay_out
from maskc.report.html.markup import Html, element
from maskc.report.html.shapes import (
    ARROW,
    LOOP,
    NODE_HEIGHT,
    draw_edge,
    draw_label,
    draw_loop,
    draw_state,
    make_arrow,
    measure_label,
    measure_name,
)

MAX_PRODUCTIONS = 40
MAX_TRANSITIONS = 200
MARGIN = 26.0
# Between the ends of two edges at a state.
PORT = 14.0
# A drawing that is wider than the page shrinks as far as this, and scrolls from there.
SMALLEST = 0.7

Labels = Mapping[Edge, Sequence[str]]


def draw_automaton(dft: DftAutomaton) -> Html:
    """Return the automaton as SVG; its grammar has a production at least."""
    start = Node(Side.START, dft.reduced.start)
    states = [start, *(state for state in dft.states if state != start)]
    number = {state: i for i, state in enumerate(states)}
    bundles: dict[Edge, list[Transition]] = {}
    for transition in _walk(dft, start):
        edge = number[transition.source], number[transition.target]
        bundles.setdefault(edge, []).append(transition)
    labels = {edge: [_label(t) for t in found] for edge, found in bundles.items()}
    explained = {e: "\n".join(_explain(dft, t) for t in found) for e, found in bundles.items()}
    names = [format_node(dft.reduced, state) for state in states]
    widths = [measure_name(name) for name in names]
    drawing = lay_out(
        [_make_box(width, labels.get((i, i))) for i, width in enumerate(widths)],
        {edge: measure_label(lines) for edge, lines in labels.items() if edge[0] != edge[1]},
    )
    ports = _find_ports(drawing, widths)
    curves, texts = [], []
    for edge, lines in labels.items():
        if edge in ports:
            curves.append(draw_edge(ports[edge], explained[edge]))
            place = drawing.labels[edge]
        else:
            x, y = drawing.nodes[edge[0]]
            right = x + widths[edge[0]] / 2
            curves.append(draw_loop(right, y, explained[edge]))
            place = (right + LOOP - 4 + measure_label(lines).width / 2, y)
        texts.append(draw_label(place, lines, explained[edge]))
    boxes = [
        draw_state(name, centre, _classify(state))
        for state, name, centre in zip(states, names, drawing.nodes, strict=True)
    ]
    return _frame(drawing, [*curves, *texts, *boxes], len(dft.transitions))


def number_productions(dft: DftAutomaton) -> list[tuple[str, str]]:
    """Return each production with the number that labels give it."""
    reduced = dft.reduced
    return [
        (
            str(number),
            " ".join([reduced.nonterminals[p.lhs], "::=", *map(reduced.symbol_name, p.rhs)])
            + ("" if p.rhs else " ε"),
        )
        for number, p in enumerate(reduced.productions, 1)
    ]


def _walk(dft: DftAutomaton, start: Node) -> list[Transition]:
    """Return the transitions in the order in which a text uses them, so that most edges go down.

    A production's places follow one another; a nonterminal is entered where it is first met.
    """
    found: dict[Transition, None] = {}
    by_place: dict[StackSymbol | None, list[Transition]] = {}
    for transition in dft.transitions:
        by_place.setdefault(transition.pops, []).append(transition)

    pending = [t for t in reversed(dft.leaving[start]) if t.pops is None]
    while pending:
        transition = pending.pop()
        if transition in found:
            continue
        found[transition] = None
        pushed = transition.pushes
        after = by_place.get(pushed, []) if pushed is not None else []
        entered = [t for t in dft.leaving.get(transition.target, ()) if t.pops is None]
        pending += [*reversed(after), *reversed(entered)]
    return [*found, *(t for t in dft.transitions if t not in found)]


def _label(transition: Transition) -> str:
    pops, pushes = _format_place(transition.pops), _format_place(transition.pushes)
    if pops and pushes:
        return f"{pops} → {pushes}"
    return f"−{pops}" if pops else f"+{pushes}" if pushes else "ε"


def _format_place(symbol: StackSymbol | None) -> str:
    if symbol is None:
        return ""
    return "Z0" if symbol == BOTTOM else f"{symbol.production + 1}.{symbol.dot}"


def _explain(dft: DftAutomaton, t: Transition) -> str:
    steps = [f"{format_node(dft.reduced, t.source)} to {format_node(dft.reduced, t.target)}"]
    if t.reads is not None:
        steps.append(f"reads {dft.reduced.terminals[t.reads]}")
    if t.pops is not None:
        steps.append(f"pops {dft.format_symbol(t.pops)}")
    if t.pushes is not None:
        steps.append(f"pushes {dft.format_symbol(t.pushes)}")
    return ", ".join(steps)


def _classify(state: Node) -> str:
    if state == END_NODE:
        return "end-state"
    return "terminal" if state.side is Side.TERMINAL else "nonterminal"


def _make_box(width: float, loop: Sequence[str] | None) -> Box:
    if loop is None:
        return Box(width, NODE_HEIGHT)
    label = measure_label(loop)
    # Twice, because a state stands in the middle of its box.
    return Box(width + 2 * (LOOP + label.width), max(NODE_HEIGHT, label.height))


def _find_ports(drawing: Drawing, widths: Sequence[float]) -> dict[Edge, list[Point]]:
    """Return the points of each edge, its ends spread along the sides of its states."""
    sides: dict[tuple[int, bool], list[tuple[float, Edge, bool]]] = {}
    for edge, bends in drawing.bends.items():
        for node, near, leaves in ((edge[0], bends[0], True), (edge[1], bends[-1], False)):
            is_below = near[1] > drawing.nodes[node][1]
            sides.setdefault((node, is_below), []).append((near[0], edge, leaves))
    ends: dict[tuple[Edge, bool], Point] = {}
    for (node, is_below), found in sides.items():
        x, y = drawing.nodes[node]
        room = min(widths[node] - 16, PORT * (len(found) - 1))
        for i, (_, edge, leaves) in enumerate(sorted(found)):
            spread = i / (len(found) - 1) - 0.5 if len(found) > 1 else 0.0
            border = NODE_HEIGHT / 2 if is_below else -NODE_HEIGHT / 2
            ends[edge, leaves] = x + room * spread, y + border
    return {
        edge: [ends[edge, True], *bends, ends[edge, False]] for edge, bends in drawing.bends.items()
    }


def _frame(drawing: Drawing, parts: Sequence[Html], n_transitions: int) -> Html:
    width, height = drawing.width + 2 * MARGIN, drawing.height + 2 * MARGIN
    x, y = drawing.nodes[0][0], drawing.nodes[0][1] - NODE_HEIGHT / 2
    entry = element("path", d=f"M{x:.1f} {y - 22:.1f}V{y:.1f}", class_="edge", marker_end=ARROW)
    summary = f"{len(drawing.nodes)} states, {n_transitions} transitions"
    return element(
        "svg",
        element("defs", make_arrow()),
        element("g", entry, *parts, transform=f"translate({MARGIN:.0f} {MARGIN:.0f})"),
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=f"{width:.0f}",
        style=f"max-width:100%;min-width:{width * SMALLEST:.0f}px;margin:0 auto",
        role="img",
        aria_label=f"DFT pushdown automaton: {summary}; all are listed below",
    )
