"""What a tool set is: the tools and prompts of a session, and the sentences about them. Pure data."""

from __future__ import annotations

from dataclasses import dataclass

from mdmemd.mcp.instructions import Guidance
from mdmemd.mcp.prompts import Prompt
from mdmemd.mcp.tool import Tool


@dataclass(frozen=True, slots=True)
class ToolSet:
    """One set; ``prompts`` name its tools, so a set without prompts of its own has none."""

    tools: tuple[Tool, ...]
    guidance: Guidance
    prompts: tuple[Prompt, ...] = ()
