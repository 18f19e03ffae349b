import { VaultTarget } from '../../src/core/permission/vault-target';
import type { ChangedText, Tool, ToolFault, ToolOutcome } from '../../src/core/tool/tool';

/** Runs a tool's read as a host does, under rules that allow what `allows` accepts. */
export async function read(
  tool: Tool,
  args: unknown,
  allows: (path: string) => boolean = () => true,
): Promise<ToolOutcome> {
  const plan = planOf(tool, args);
  if ('code' in plan) return { ok: false, error: plan };
  if (plan.kind !== 'read') throw new Error('no read');
  return plan.run({
    target: new VaultTarget(plan.path),
    allows: (path) => Promise.resolve(allows(path)),
  });
}

/** The note after a tool's change. */
export function change(
  tool: Tool,
  args: unknown,
  before: string | undefined,
): ChangedText | (ToolFault & { readonly ok: false }) {
  const plan = planOf(tool, args);
  if ('code' in plan) return { ok: false, ...plan };
  if (plan.kind !== 'change') throw new Error('no change');
  return plan.change(before);
}

export function planOf(tool: Tool, args: unknown) {
  return tool.plan({ tool: tool.name, args, callId: 'c', sessionId: 's', agent: 'build' });
}

/** The output, or the message of the error. */
export function textOf(outcome: ToolOutcome): string {
  return outcome.ok ? outcome.output : outcome.error.message;
}
