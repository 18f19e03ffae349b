import * as z from 'zod';
import { readKey } from '../../src/bridge/opencode/prompt-parts';
import type { StoredRun } from '../../workbench/demo/stored-runs';
import type { RunVault } from './run-vault';

const sessions = z.array(
  z.object({ id: z.string(), title: z.string(), metadata: z.unknown().optional() }),
);
const messages = z.array(
  z.object({
    info: z.object({ id: z.string(), role: z.string(), parentID: z.string().optional() }),
    parts: z.array(z.object({ metadata: z.unknown().optional() })),
  }),
);

/**
 * Lists the errors in a run's sessions as OpenCode stored them: each start and each prompt must be
 * there once.
 */
export async function checkSessions(vault: RunVault, run: StoredRun): Promise<readonly string[]> {
  const all = sessions.parse(await vault.get('/session?limit=10000'));
  const own = all.filter(({ metadata }) => readKey(metadata)?.startsWith(`${run.id}.`) === true);
  if (own.length === 0) return ['OpenCode knows no session of the run.'];
  const starts = duplicates(own.flatMap(({ metadata }) => readKey(metadata) ?? []));
  const lost = starts.map((key) => `Two sessions for the start ${key}.`);
  const keys: string[] = [];
  for (const { id, title } of own) {
    const read = messages.parse(await vault.get(`/session/${id}/message`));
    const users = read.filter(({ info }) => info.role === 'user');
    // If OpenCode is killed while it stores a prompt, the message may be left without any parts.
    const prompts = users.filter(({ parts }) => parts.length > 0);
    for (const { info } of users.filter((one) => !prompts.includes(one))) {
      const answered = read.some((one) => one.info.parentID === info.id);
      if (answered) lost.push(`A prompt without words was answered in "${title}".`);
    }
    const named = prompts.flatMap(({ parts }) =>
      parts.flatMap(({ metadata }) => readKey(metadata) ?? []).slice(0, 1),
    );
    if (named.length < prompts.length) lost.push(`A prompt without a key in "${title}".`);
    keys.push(...named);
  }
  return [...lost, ...duplicates(keys).map((key) => `The prompt ${key} was taken twice.`)];
}

function duplicates(names: readonly string[]): readonly string[] {
  return names.filter((name, at) => names.indexOf(name) !== at);
}
