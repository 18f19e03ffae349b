import { TASK_TOOLS, type Alias, type Boards } from './task-tools';
import * as z from 'zod/mini';
import { lazy } from '../../lazy';
import { STATUSES } from '../../board/task';
import { tasksTool } from '../tasks-tool';
import type { Tool, ToolOutcome } from '../tool';

/** Appended to each answer of a command that the tool `tasks` replaces. */
const WARNING =
  '⚠️ **DEPRECATED**: This tool will be removed in v4.0.0. Please use the unified `tasks` tool instead. See migration guide: docs/migration.md';

const id = lazy(() => z.string().check(z.describe('Number, id or exact title.')));

/** Nullable, since OpenCode marks every argument as required. */
const agent = lazy(() => z.nullish(z.string().check(z.describe('Whose list.'))));

/** Defines an alias for one operation of `tasks`: the same answer, followed by the warning. */
function deprecatedAlias(as: string, type: string, makeInput: () => z.ZodMiniType): Alias {
  const name = `tasks_${as}`;
  const description = `Deprecated: use \`tasks\` with {"operations": [{"type": "${type}", …}]}.`;
  const tool = (boards: Boards): Tool => ({
    name,
    description,
    plan(call) {
      const given = typeof call.args === 'object' && call.args !== null ? call.args : {};
      const args = { operations: [{ ...given, type }] };
      const plan = tasksTool(boards).plan({ ...call, args });
      if (!('kind' in plan) || plan.kind !== 'board') return plan;
      return { ...plan, run: async () => withWarning(await plan.run()) };
    },
  });
  return { name, description, input: lazy(makeInput), tool };
}

function withWarning(outcome: ToolOutcome): ToolOutcome {
  const warned = (text: string): string => `${text}\n\n${WARNING}`;
  if (outcome.ok) return { ...outcome, output: warned(outcome.output) };
  const { code, message } = outcome.error;
  return { ok: false, error: { code, message: warned(message) } };
}

/**
 * The tools that `tasks` replaces. None is called `task`, which is OpenCode's tool for starting a
 * subagent.
 */
export const ALIASES: readonly Alias[] = [
  deprecatedAlias('init', 'init', () => z.object({ title: z.string(), agent: agent() })),
  deprecatedAlias('add', 'add', () =>
    z.object({ title: z.string(), parent: z.nullish(id()), agent: agent() }),
  ),
  deprecatedAlias('update', 'update', () =>
    z.object({ id: id(), status: z.enum(STATUSES), agent: agent() }),
  ),
  deprecatedAlias('complete', 'complete', () => z.object({ id: id(), agent: agent() })),
  deprecatedAlias('remove', 'remove', () => z.object({ id: id(), agent: agent() })),
  deprecatedAlias('list', 'list', () => z.object({ agent: agent() })),
  deprecatedAlias('status', 'list', () => z.object({ agent: agent() })),
  ...TASK_TOOLS,
];

/** All tools that work on boards, by name. The bridge decides which of them a model sees. */
export function boardTools(boards: Boards): ReadonlyMap<string, Tool> {
  const tools = [tasksTool(boards), ...ALIASES.map((alias) => alias.tool(boards))];
  return new Map(tools.map((tool) => [tool.name, tool]));
}
