import type { App } from 'obsidian';
import { h } from 'preact';
import { isAble } from '../../core/session/connection';
import type { Session } from '../../core/session/session';
import { canDo } from '../../core/session/session-host';
import type { Catalog } from '../../core/session/bridge-runtime';
import { askForText, openForm, pick } from '../ui/dialog';
import { notify, tried } from '../ui/notify';
import type { CoreServices } from '../app/core-services';
import { useState } from 'preact/hooks';
import { sendsNow } from '../conversation/composer';
import { CatalogField, Field, FormButtons, useCatalog } from '../ui/fields';

interface SessionActionsDeps {
  readonly app: App;
  readonly parts: CoreServices;
  /** Brings a session's conversation up. */
  readonly show: (sessionId: string) => void;
  /** The person writes to a session, or does no longer. */
  readonly typing: (sessionId: string, has: boolean) => void;
}

/** Characters of a session's title that are taken from the first words said in it. */
const TITLE_LENGTH = 60;

/** Starts sessions and talks to them, through dialogs. Needs a connection. */
export class SessionActions {
  constructor(private readonly deps: SessionActionsDeps) {}

  /** Asks what shall be done, starts a session with it as title, and sends it. */
  async start(): Promise<void> {
    if (!this.online()) return;
    if (!isAble(this.deps.parts.connection.state, 'start')) return void notify(NONE_STARTS);
    const { app, parts } = this.deps;
    const { runtime, settings } = parts;
    const { defaultAgent: agent, enterSends } = settings.current;
    const given = { agent, enterSends, catalog: () => runtime.catalog() };
    const wish = await openForm<SessionOptions>(app, 'Start session', (onDone) =>
      h(StartSessionForm, { ...given, onDone }),
    );
    if (wish === undefined) return;
    const { text, ...choice } = wish;
    const start = async (): Promise<void> => {
      const { sessionId } = await runtime.start({ title: titleOf(text), ...choice });
      this.deps.show(sessionId);
      await runtime.send(sessionId, text, choice);
    };
    await tried(notify, 'The session was not started.', start());
  }

  /** Sends words to a session; asks which where it is not given. */
  async send(sessionId?: string): Promise<void> {
    if (!this.online()) return;
    const session = await this.choose(sessionId);
    if (session === undefined) return;
    this.deps.typing(session.id, true);
    const text = await askForText(this.deps.app, {
      title: `Message to ${session.title || session.id}`,
      placeholder: 'Say what the agent should know or do.',
      yes: 'Send',
      long: true,
    }).finally(() => this.deps.typing(session.id, false));
    if (text === undefined) return;
    const sent = this.deps.parts.runtime.send(session.id, text);
    await tried(notify, 'The message was not sent.', sent);
  }

  async stop(sessionId: string): Promise<void> {
    const { runtime } = this.deps.parts;
    await tried(notify, 'The turn was not stopped.', runtime.interrupt(sessionId));
  }

  private choose(sessionId: string | undefined): Promise<Session | undefined> {
    const there = this.deps.parts.sessions
      .all()
      .filter((session) => session.state.kind !== 'ended' && canDo(session, 'prompt'));
    const given = there.find((session) => session.id === sessionId);
    if (given !== undefined) return Promise.resolve(given);
    if (there.length === 0) notify('There is no session yet. Start one first.');
    const choices = there.map((value) => ({ text: value.title || value.id, value })).reverse();
    return pick(this.deps.app, choices, 'Choose a session');
  }

  private online(): boolean {
    if (this.deps.parts.connection.state.kind === 'connected') return true;
    notify('Not connected to OpenCode. Connect first.');
    return false;
  }
}

const NONE_STARTS =
  'Nothing that is connected starts sessions from here. Start OpenCode in this vault first.';

export function titleOf(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length <= TITLE_LENGTH ? line : `${line.slice(0, TITLE_LENGTH - 1).trimEnd()}…`;
}

/** What a session is started with. */
export interface SessionOptions {
  readonly text: string;
  /** absent: OpenCode's own */
  readonly agent?: string;
  readonly model?: string;
}

/**
 * Asks what shall be done, and who does it. The keys are those of a conversation's composer.
 * @param props.tasks titles of what is to be done: the words are then what the agent should know besides
 */
export function StartSessionForm(props: {
  readonly tasks?: readonly string[];
  readonly catalog: () => Promise<Catalog>;
  /** chosen at first; empty: OpenCode's own */
  readonly agent: string;
  readonly enterSends: boolean;
  readonly onDone: (wish: SessionOptions | undefined) => void;
}) {
  const { onDone, tasks } = props;
  const [text, setText] = useState('');
  const [agent, setAgent] = useState(props.agent);
  const [model, setModel] = useState('');
  const catalog = useCatalog(props.catalog);
  const lacks = (words: string) => tasks === undefined && words.trim() === '';
  const submit = () => {
    const words = text.trim();
    if (lacks(words)) return;
    onDone({ text: words, ...(agent !== '' && { agent }), ...(model !== '' && { model }) });
  };
  return (
    <div class="atb-form">
      {tasks !== undefined && (
        <ul class="atb-form-tasks" aria-label="Tasks">
          {tasks.map((title, at) => (
            <li key={at}>{title}</li>
          ))}
        </ul>
      )}
      <Field name={tasks === undefined ? 'What is to be done' : 'What else to know'}>
        <textarea
          rows={tasks === undefined ? 4 : 2}
          value={text}
          placeholder={
            tasks === undefined
              ? 'Say what you want done. Ask the agent to plan first.'
              : 'May be left empty: the agent reads the tasks.'
          }
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.isComposing) return;
            if (!sendsNow(event, props.enterSends)) return;
            event.preventDefault();
            submit();
          }}
        />
      </Field>
      <div class="atb-run-pair">
        <CatalogField
          {...{ name: 'Agent', value: agent, onChange: setAgent }}
          known={catalog.agents.map((name) => [name, name] as const)}
        />
        <CatalogField name="Model" value={model} known={catalog.models} onChange={setModel} />
      </div>
      <FormButtons
        yes="Start"
        disabled={lacks(text)}
        onYes={submit}
        onNo={() => onDone(undefined)}
      />
    </div>
  );
}
