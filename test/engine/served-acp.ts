import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findOpencode, thisMachine } from '../../workbench/demo/find-opencode';
import { isolatedEnvironment } from '../../workbench/demo/opencode-environment';
import { fakePluginInstall } from '../bridge/opencode-run';
import type { Model } from '../bridge/model';
import { serveOn, type ServedModel } from './served-model';

/** `agent-boards serve --engine acp` with the real `opencode acp`, in its own vault, on a model. */
export function serveOpencode<M extends Pick<Model, 'url' | 'close'>>(
  model: M,
  config: Readonly<Record<string, unknown>> = {},
): Promise<ServedModel<M>> {
  const found = findOpencode(
    join(import.meta.dirname, '../..'),
    thisMachine((path) => readFileSync(path, 'utf8')),
  );
  if (!found.ok) throw new Error(found.message);
  return serveOn(model, {
    engine: (base) => {
      mkdirSync(join(base, 'vault/.opencode'), { recursive: true });
      fakePluginInstall(join(base, 'vault/.opencode'));
      const env = isolatedEnvironment({ home: join(base, 'home'), modelUrl: model.url });
      const own = JSON.parse(env.OPENCODE_CONFIG_CONTENT ?? '{}') as Record<string, unknown>;
      delete own.permission;
      env.OPENCODE_CONFIG_CONTENT = JSON.stringify({ ...own, ...config });
      return { args: ['--engine', 'acp', '--', found.path, 'acp'], env };
    },
  });
}

/** OpenCode's id of the session, once it has one. */
export function agentSession(vault: string, sessionId: string): string | undefined {
  const folder = '.opencode/agent-task-boards/acp-sessions/opencode';
  const path = join(vault, folder, `${sessionId}.json`);
  const facts = JSON.parse(readFileSync(path, 'utf8')) as { agentSession?: string };
  return facts.agentSession;
}
