import type { Log } from '../ports';
import type { Tool, ToolCall, ToolOutcome } from './tool';

/** The one path of a call to a tool. Every call gets an outcome, whatever the tool does. */
export class ToolHost {
  constructor(
    private readonly tools: ReadonlyMap<string, Tool>,
    private readonly log?: Log,
  ) {}

  async run(call: ToolCall): Promise<ToolOutcome> {
    const tool = this.tools.get(call.tool);
    if (tool === undefined) {
      const known = [...this.tools.keys()].join(', ');
      const message = `There is no tool "${call.tool}" here. Use ${known}.`;
      return { ok: false, error: { code: 'unknown_tool', message } };
    }
    try {
      return await tool.run(call);
    } catch (error) {
      this.log?.note('A tool failed unexpectedly.', { tool: call.tool, error: nameOf(error) });
      const message = `${call.tool} failed: ${nameOf(error)}. It may have been done in part: look before you repeat it.`;
      return { ok: false, error: { code: 'internal', message } };
    }
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
