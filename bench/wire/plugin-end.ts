import type { RunFile } from '../../src/protocol/run-file';
import { PendingPermissions } from '../../src/core/permission/ask';
import { defineTool } from '../../src/core/tool/tool';
import { boardHost } from '../../test/tool/board-host';
import { answerToolCalls } from '../../src/obsidian/tool/tool-calls';
import { benchAudit } from './bench-audit';
import { PluginLink } from '../../soak/link/plugin-link';
import { sampleAnswer, sampleInput } from './sample-call';

const input = sampleInput();

const tool = defineTool({
  name: 'tasks',
  description: 'What every contender offers.',
  input: () => input,
  plan: (given) => ({
    kind: 'board',
    run: () =>
      Promise.resolve({ ok: true, title: 'tasks', output: sampleAnswer(given), metadata: {} }),
  }),
});

/** The plugin's end of a link, which answers calls as the plugin does, without a vault. */
export class PluginEnd {
  readonly #link: PluginLink;

  /** @param run where the bridge listens */
  constructor(run: RunFile) {
    const link = new PluginLink(() => ({ port: run.port, run }), 1);
    this.#link = link;
    const log = { note: (message: string) => void link.notes.push(message) };
    const { bus, clock, connection } = link;
    const audit = benchAudit(clock);
    const host = boardHost(new Map([[tool.name, tool]]), { log, clock, audit });
    answerToolCalls({ bus, clock, connection, log, host, asks: new PendingPermissions(clock) });
  }

  /** Connects and waits for an event of each of the sessions: from then on their calls come here. */
  async attach(sessions: number): Promise<void> {
    const heard = new Set<string>();
    const all = new Promise<void>((resolve) => {
      const undo = this.#link.bus.onAll(({ sessionId }) => {
        if (heard.add(sessionId).size < sessions) return;
        undo();
        resolve();
      });
    });
    this.#link.connection.connect();
    await all;
  }

  close(): void {
    this.#link.close();
  }
}
