import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { Cleanup } from '../workbench/demo/cleanup';
import { isolatedEnvironment } from '../workbench/demo/opencode-environment';
import { startReaper } from '../workbench/demo/reaper';
import { startScriptedModel, type ScriptedModel } from '../workbench/demo/scripted-model';
import { startWorld, type OpencodeWorld } from '../workbench/demo/world';

/** Calls in one answer of the model; OpenCode starts them in parallel. */
const CALLS_PER_ANSWER = 4;
/** Answers with calls per turn, and turns per session: the model's requests grow with them. */
const ANSWERS = 3;
const TURNS = 6;

/**
 * A real OpenCode in a vault, with the bridge installed and no client. Its model adds tasks in one
 * session after another, each on the session's board.
 */
export class OpencodeWriter {
  /** titles of the tasks whose call was answered */
  readonly answered = new Set<string>();
  /** results of the calls that failed */
  readonly refused: string[] = [];
  sessions = 0;
  private last = 0;

  private constructor(
    private readonly world: OpencodeWorld,
    private readonly model: ScriptedModel,
    private readonly cleanup: Cleanup,
  ) {}

  /** @param root the project's root, built */
  static async start(root: string, vault: string): Promise<OpencodeWriter> {
    const plugins = join(vault, '.opencode/plugin');
    await mkdir(plugins, { recursive: true });
    await copyFile(join(root, 'main.js'), join(plugins, 'agent-task-boards.js'));
    const cleanup = new Cleanup();
    try {
      const reaper = startReaper();
      cleanup.add(() => reaper.close());
      const home = await mkdtemp(join(tmpdir(), 'atb-soak-home-'));
      const forget = reaper.addFolder(home);
      cleanup.add(() => rm(home, { recursive: true, force: true, maxRetries: 5 }).then(forget));
      const model = await startScriptedModel({ defaultDelayMs: 0 });
      cleanup.add(() => model.close());
      const env = isolatedEnvironment({ home, modelUrl: model.url });
      const world = await startWorld({ root, vault, env, reaper, cleanup });
      return new OpencodeWriter(world, model, cleanup);
    } catch (error) {
      await cleanup.run();
      throw error;
    }
  }

  /** Works until `isEnough` returns true, then finishes the current turn. */
  async work(isEnough: () => boolean): Promise<void> {
    while (!isEnough()) {
      const session = await this.world.client.createSession(`Session ${(this.sessions += 1)}`);
      for (let turn = 0; turn < TURNS && !isEnough(); turn += 1) await this.turn(session);
      await this.collectResults(session);
      this.model.over(session);
    }
  }

  close(): Promise<void> {
    return this.cleanup.run();
  }

  private async turn(session: string): Promise<void> {
    const add = () => {
      const operations = [{ type: 'add', title: `oc-${(this.last += 1)}` }];
      return { name: 'tasks', args: { operations } };
    };
    const calls = () => ({ tools: Array.from({ length: CALLS_PER_ANSWER }, add) });
    this.model.play(session, [...Array.from({ length: ANSWERS }, calls), { text: 'Done.' }]);
    const ended = this.world.turns.next(session);
    await this.world.client.prompt(session, 'Go on');
    await Promise.race([ended, this.world.broken]);
  }

  /** Reads the tool results from the session. */
  private async collectResults(session: string): Promise<void> {
    for (const { parts } of MESSAGES.parse(await this.world.client.messages(session))) {
      for (const part of parts) {
        const call = CALL.safeParse(part);
        if (!call.success) continue;
        const { status, input, output, error } = call.data.state;
        const [operation] = input.operations;
        const isDone = status === 'completed' && output?.includes(' FAILED (') === false;
        if (isDone) this.answered.add(operation.title);
        else this.refused.push(`${operation.title}: ${output ?? error ?? status}`);
      }
    }
  }
}

const MESSAGES = z.array(z.object({ parts: z.array(z.unknown()) }));

const CALL = z.object({
  type: z.literal('tool'),
  tool: z.literal('tasks'),
  state: z.object({
    status: z.string(),
    input: z.object({ operations: z.tuple([z.object({ title: z.string() })]) }),
    output: z.optional(z.string()),
    error: z.optional(z.string()),
  }),
});
