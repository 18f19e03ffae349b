import { TodoManager } from '../../src/core/board/todo-manager';
import { PendingPermissions } from '../../src/core/permission/ask';
import { boardTools } from '../../src/core/tool/alias/aliases';
import type { ToolHost } from '../../src/core/tool/tool-host';
import type { AnsweredCall, ToolCall, ToolFault } from '../../src/core/tool/tool';
import { DiskStore } from '../../src/node/disk-store';
import { nodeClock, nodeIds } from '../../src/node/node-ports';
import { answerToolCalls } from '../../src/obsidian/tool/tool-calls';
import { boardHost } from '../../test/tool/board-host';
import type { SeededRandom } from '../seeded';
import type { PluginLink } from './plugin-link';

/** Makes a plugin's end run tool calls on the boards of a vault, each after a random delay. */
export function runToolCalls(
  plugin: PluginLink,
  vault: string,
  random: SeededRandom,
  onRun: () => void,
): void {
  const { bus, connection, clock } = plugin;
  const store = new DiskStore(vault);
  const manager = new TodoManager({ store, clock: nodeClock, ids: nodeIds });
  const host = new SlowHost(boardHost(boardTools(manager), { clock, ids: nodeIds }), random, onRun);
  const log = { note: (message: string) => void plugin.notes.push(message) };
  answerToolCalls({ bus, connection, clock, log, host, asks: new PendingPermissions(clock) });
}

/**
 * A host that waits some turns of the event loop before and after each call, so that connections
 * break in between.
 */
class SlowHost {
  constructor(
    private readonly host: ToolHost,
    private readonly random: SeededRandom,
    private readonly ran: () => void,
  ) {}

  async run(call: ToolCall): Promise<AnsweredCall> {
    this.ran();
    await this.#wait();
    const outcome = await this.host.run(call);
    await this.#wait();
    return outcome;
  }

  refuse(call: ToolCall, fault: ToolFault): Promise<AnsweredCall> {
    return this.host.refuse(call, fault);
  }

  cancel(callId: string, sessionId: string | undefined): void {
    this.host.cancel(callId, sessionId);
  }

  async #wait(): Promise<void> {
    for (let turn = this.random.below(30); turn > 0; turn -= 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
