import type { HookRunner } from '../hook/hooks';
import type { ToolCall, ToolFault, ToolOutcome } from './tool';

/**
 * Runs the hooks before a call.
 * @returns the call's arguments, possibly changed by hooks, or a fault if a hook cancelled it
 */
export async function hooksBefore(
  hooks: HookRunner,
  { tool, agent, sessionId, args }: ToolCall,
): Promise<{ readonly args: unknown } | { readonly fault: ToolFault }> {
  const { facts, cancelled } = await hooks.run('pre-tool-use', { tool, agent, sessionId, args });
  if (cancelled === undefined) return { args: facts.args };
  const { by, reason } = cancelled;
  const message = `Nothing was done: a hook of ${by} cancelled the call. ${reason}`;
  return { fault: { code: 'hook', message } };
}

/**
 * Runs the hooks after a call.
 * @param done whether the call had its effect
 * @returns the call's outcome, possibly changed by hooks
 */
export async function hooksAfter(
  hooks: HookRunner,
  { tool, agent, sessionId, args }: ToolCall,
  outcome: ToolOutcome,
  done: boolean,
): Promise<ToolOutcome> {
  const said = outcome.ok ? outcome : { title: '', output: outcome.error.message };
  const { facts, cancelled } = await hooks.run('post-tool-use', {
    ...{ tool, agent, sessionId, args, ok: outcome.ok, title: said.title, output: said.output },
  });
  if (cancelled !== undefined) {
    const what = done ? 'It was done, but its' : 'Its';
    const message = `${what} answer is withheld by a hook of ${cancelled.by}. ${cancelled.reason}`;
    return { ok: false, error: { code: 'hook', message } };
  }
  const { title, output } = facts;
  if (title === said.title && output === said.output) return outcome;
  return outcome.ok
    ? { ...outcome, title, output }
    : { ok: false, error: { ...outcome.error, message: output } };
}
