"""The tools of the world of papers: those of AgentBoard with their names and arguments."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from agentgym.envs._kit.tools import FINISH, Toolbox, ToolError, tool
from agentgym.envs.tools._academia.network import network, plain
from agentgym.envs.tools._academia.words import SECTIONS

LOAD, READ, SHOWN = 2.0, 0.3, 60  # virtual seconds; characters of a name in a refusal
PAPER = "Understanding Query Optimization in Multi-Tenant Clouds"  # of the networks, as are the following
CITED = "Columnar Storage for Stream Processing in Multi-Tenant Clouds"
AUTHOR, PARTNER = "Mateo Lund", "Uma Hassani"
RULES = (
    "You look things up in two networks. In PaperNet nodes are papers, and an edge leads from a paper to one it cites; "
    "in AuthorNet nodes are authors, and an edge joins two who wrote a paper together. Load a network before you look "
    "into it. Names and titles are written in full. The authors of a paper stand in the order in which they signed, "
    "all other lists in alphabetical order. End with finish."
)


@dataclass(slots=True)
class Desk:
    """What changes while the networks are read.

    Attributes:
        papers, authors: Whether PaperNet and AuthorNet are loaded.
    """

    papers: bool = False
    authors: bool = False


def _paper(desk: Desk, node: str) -> int:
    if not desk.papers:
        raise ToolError("PaperNet is not loaded; call loadPaperNet first.")
    known = network()
    if plain(node) not in known.paper_numbers:
        hint = "it is an author, see AuthorNet" if plain(node) in known.author_numbers else "write a title in full"
        raise ToolError(f"There is no paper {node[:SHOWN]!r} in PaperNet; {hint}.")
    return known.paper_numbers[plain(node)]


def _author(desk: Desk, node: str) -> int:
    if not desk.authors:
        raise ToolError("AuthorNet is not loaded; call loadAuthorNet first.")
    known = network()
    if plain(node) not in known.author_numbers:
        hint = "it is a paper, see PaperNet" if plain(node) in known.paper_numbers else "write first and last name"
        raise ToolError(f"There is no author {node[:SHOWN]!r} in AuthorNet; {hint}.")
    return known.author_numbers[plain(node)]


@tool({}, name="loadPaperNet", seconds=LOAD)
def load_paper_net(desk: Desk) -> str:
    """Load PaperNet: papers, and which of them cites which."""
    desk.papers = True
    return "PaperNet is loaded."


@tool({}, name="loadAuthorNet", seconds=LOAD)
def load_author_net(desk: Desk) -> str:
    """Load AuthorNet: authors, and who wrote papers together."""
    desk.authors = True
    return "AuthorNet is loaded."


@tool({"graph": "PaperNet", "node": PAPER}, name="neighbourCheck", seconds=READ)
def neighbor_check(desk: Desk, graph: Literal["PaperNet", "AuthorNet"], node: str) -> list[str]:
    """List the neighbors of a node: in PaperNet the papers that a paper cites, in AuthorNet an author's collaborators.

    Args:
        desk: Tells whether the network of `graph` has been loaded; a node of one that has not is refused.
        graph: The network.
        node: Title of a paper or name of an author.
    """
    known = network()
    if graph == "PaperNet":
        return [known.titles[paper] for paper in known.references[_paper(desk, node)]]
    return [known.names[author] for author in known.collaborators(_author(desk, node))]


@tool({"node": PAPER}, name="paperNodeCheck", seconds=READ)
def paper_node_check(desk: Desk, node: str) -> dict[str, Any]:
    """Look up a paper: authors, year, date, venue, n_citation (in PaperNet), keywords, doc_type, abstract_words.

    Args:
        desk: PaperNet must be loaded in it; it is not changed.
        node: Title of the paper.
    """
    number, known = _paper(desk, node), network()
    day = date.fromordinal(int(known.days[number]))
    venue, kind = known.venues[known.venue[number]]
    return {
        "authors": [known.names[author] for author in known.authors[number]], "year": day.year,
        "date": day.isoformat(), "venue": venue, "n_citation": len(known.cited_by[number]),
        "keywords": sorted(known.words[word] for word in known.keywords[number]), "doc_type": kind,
        "abstract_words": int(known.abstract_words[number]),
    }  # fmt: skip


@tool({"node": AUTHOR}, name="authorNodeCheck", seconds=READ)
def author_node_check(desk: Desk, node: str) -> dict[str, str]:
    """Look up an author: name and org, the organization.

    Args:
        desk: AuthorNet must be loaded in it; it is not changed.
        node: Name of the author.
    """
    number, known = _author(desk, node), network()
    return {"name": known.names[number], "org": known.orgs[number]}


@tool({"node1": AUTHOR, "node2": PARTNER}, name="authorEdgeCheck", seconds=READ)
def author_edge_check(desk: Desk, node1: str, node2: str) -> dict[str, list[str]]:
    """Look up the edge between two authors: papers, the titles of all that they wrote together.

    Args:
        desk: AuthorNet must be loaded in it; PaperNet need not be, though titles of papers are given.
        node1: Name of an author.
        node2: Name of another author.
    """
    first, second, known = _author(desk, node1), _author(desk, node2), network()
    papers = known.together(first, second) if first != second else []
    if not papers:
        raise ToolError(
            f"There is no edge between {known.names[first]!r} and {known.names[second]!r} in AuthorNet; "
            "neighbourCheck lists the collaborators of one."
        )
    return {"papers": [known.titles[paper] for paper in papers]}


@tool({"node1": PAPER, "node2": CITED}, name="paperEdgeCheck", seconds=READ)
def paper_edge_check(desk: Desk, node1: str, node2: str) -> dict[str, Any]:
    """Look up a citation: mentions (how often the first paper names the second), section (where it does so first).

    Args:
        desk: PaperNet must be loaded in it; it is not changed.
        node1: Title of the citing paper.
        node2: Title of the cited paper.
    """
    citing, cited, known = _paper(desk, node1), _paper(desk, node2), network()
    place = known.citation(citing, cited)
    if place is None:
        raise ToolError(f"{known.titles[citing]!r} does not cite that paper; neighbourCheck lists what it cites.")
    return {"mentions": int(known.mentions[place]), "section": SECTIONS[int(known.sections[place])]}


@tool({}, seconds=0.0)
def check_valid_actions(desk: Desk) -> list[str]:
    """Get the names of all tools."""
    return TOOLBOX.names


TOOLBOX = Toolbox(
    (
        load_paper_net, load_author_net, neighbor_check, paper_node_check, author_node_check, author_edge_check,
        paper_edge_check, check_valid_actions,
    ),
    FINISH,
    RULES,
)  # fmt: skip
