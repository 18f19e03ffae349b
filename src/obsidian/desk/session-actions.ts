import type { App } from 'obsidian';
import type { Session } from '../../core/session/session';
import type { SessionRuntime } from '../../core/session/session-runtime';
import { askText } from './dialog';
import type { Notify } from './notify';
import { pick } from './pick';

export interface SessionActionsDeps {
  readonly app: App;
  readonly runtime: SessionRuntime;
  readonly sessions: () => readonly Session[];
  readonly connected: () => boolean;
  /** empty: OpenCode's own */
  readonly defaultAgent: () => string;
  /** Brings a session's conversation up. */
  readonly show: (sessionId: string) => void;
  /** The person writes to a session, or does no longer. */
  readonly typing: (sessionId: string, has: boolean) => void;
  readonly notify: Notify;
}

/** Characters of a session's title that are taken from the first words said in it. */
const TITLE_LENGTH = 60;

/** Starts sessions and talks to them, through dialogs. Needs a connection. */
export class SessionActions {
  constructor(private readonly deps: SessionActionsDeps) {}

  /** Asks what shall be done, starts a session with it as title, and sends it. */
  async start(): Promise<void> {
    if (!this.online()) return;
    const text = await askText(this.deps.app, {
      title: 'Start session',
      placeholder: 'Say what you want done. Ask the agent to plan first.',
      yes: 'Start',
      long: true,
    });
    if (text === undefined) return;
    await this.tellFaults('The session was not started.', async () => {
      const { sessionId } = await this.deps.runtime.start({
        title: titleOf(text),
        ...this.agent(),
      });
      this.deps.show(sessionId);
      await this.deps.runtime.send(sessionId, text, this.agent());
    });
  }

  /** Sends words to a session; asks which where it is not given. */
  async send(sessionId?: string): Promise<void> {
    if (!this.online()) return;
    const session = await this.choose(sessionId);
    if (session === undefined) return;
    this.deps.typing(session.id, true);
    const text = await askText(this.deps.app, {
      title: `Message to ${session.title === '' ? session.id : session.title}`,
      placeholder: 'Say what the agent should know or do.',
      yes: 'Send',
      long: true,
    }).finally(() => this.deps.typing(session.id, false));
    if (text === undefined) return;
    await this.tellFaults('The message was not sent.', () =>
      this.deps.runtime.send(session.id, text),
    );
  }

  async stop(sessionId: string): Promise<void> {
    await this.tellFaults('The turn was not stopped.', () =>
      this.deps.runtime.interrupt(sessionId),
    );
  }

  private choose(sessionId: string | undefined): Promise<Session | undefined> {
    const there = this.deps.sessions().filter((session) => session.state.kind !== 'ended');
    const given = there.find((session) => session.id === sessionId);
    if (given !== undefined) return Promise.resolve(given);
    if (there.length === 0) this.deps.notify('There is no session yet. Start one first.');
    const choices = there
      .map((session) => ({
        text: session.title === '' ? session.id : session.title,
        value: session,
      }))
      .reverse();
    return pick(this.deps.app, choices, 'Choose a session');
  }

  private agent(): { agent?: string } {
    const agent = this.deps.defaultAgent();
    return agent === '' ? {} : { agent };
  }

  private online(): boolean {
    if (this.deps.connected()) return true;
    this.deps.notify('Not connected to OpenCode. Connect first.');
    return false;
  }

  private async tellFaults(what: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.deps.notify(`${what} ${error instanceof Error ? error.message : ''}`.trim());
    }
  }
}

function titleOf(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length <= TITLE_LENGTH ? line : `${line.slice(0, TITLE_LENGTH - 1).trimEnd()}…`;
}
