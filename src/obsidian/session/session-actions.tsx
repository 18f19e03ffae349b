import type { App } from 'obsidian';
import { h } from 'preact';
import { isFeatureAvailable } from '../../core/session/connection';
import type { Session } from '../../core/session/session';
import { canDo } from '../../core/session/session-host';
import { askForText, openForm, pick } from '../ui/dialog';
import { copyButton, notify, tryOrNotify } from '../ui/notify';
import type { CoreServices } from '../app/core-services';
import { useState } from 'preact/hooks';
import { isSendKey } from '../conversation/composer';
import { CatalogField, Field, FormButtons } from '../ui/fields';
import { beginSession } from './begin-session';
import { resolveAgentChoice, startHosts, useHosts, type StartHost } from './start-choices';
import { t } from '../language/text';

interface SessionActionsDeps {
  readonly app: App;
  readonly parts: CoreServices;
  /** Opens a session's conversation. */
  readonly show: (sessionId: string) => void;
  /** Called when the person starts and stops writing to a session. */
  readonly typing: (sessionId: string, has: boolean) => void;
}

/** Length of a title that is taken from the first prompt, in characters. */
const TITLE_LENGTH = 60;

/** Starts sessions and sends them prompts, through dialogs. Needs a connection. */
export class SessionActions {
  constructor(private readonly deps: SessionActionsDeps) {}

  /** Asks for a prompt, starts a session titled after it, and sends it. */
  async start(): Promise<void> {
    if (!this.requireConnection()) return;
    if (!isFeatureAvailable(this.deps.parts.connection.state, 'start'))
      return void notify(NO_STARTER_TEXT);
    const { app, parts } = this.deps;
    const { defaultAgent: agent, enterSends } = parts.settings.current;
    const given = { agent, enterSends, hosts: () => startHosts(parts) };
    const options = await openForm<SessionOptions>(app, t('common.startSession'), (onDone) =>
      h(StartSessionForm, { ...given, onDone }),
    );
    if (options === undefined) return;
    const { text, bridge, ...choice } = options;
    const startOptions = bridge === undefined ? choice : { ...choice, bridge };
    await beginSession(parts, {
      ...{ start: { title: titleFromPrompt(text), ...startOptions }, text, choice },
      failureText: t('session.theSessionWasNotStarted'),
      onStarted: (sessionId) => this.deps.show(sessionId),
    });
  }

  /** Sends a prompt to a session; asks which if none is given. */
  async send(sessionId?: string): Promise<void> {
    if (!this.requireConnection()) return;
    const session = await this.choose(sessionId);
    if (session === undefined) return;
    this.deps.typing(session.id, true);
    const text = await askForText(this.deps.app, {
      title: t('session.messageToTitle', { title: session.title || session.id }),
      placeholder: t('session.sayWhatToKnow'),
      yes: t('session.send'),
      long: true,
    }).finally(() => this.deps.typing(session.id, false));
    if (text === undefined) return;
    const sent = this.deps.parts.runtime.send(session.id, text);
    const what = t('conversation.theMessageWasNotSent');
    await tryOrNotify(notify, what, sent, copyButton(text, notify));
  }

  async stop(sessionId: string): Promise<void> {
    const { runtime } = this.deps.parts;
    await tryOrNotify(notify, t('conversation.theTurnWasNotStopped'), runtime.interrupt(sessionId));
  }

  private choose(sessionId: string | undefined): Promise<Session | undefined> {
    const there = this.deps.parts.sessions
      .all()
      .filter((session) => session.state.kind !== 'ended' && canDo(session, 'prompt'));
    const given = there.find((session) => session.id === sessionId);
    if (given !== undefined) return Promise.resolve(given);
    if (there.length === 0) notify(t('session.thereIsNoSessionYetStart'));
    const choices = there.map((value) => ({ text: value.title || value.id, value })).reverse();
    return pick(this.deps.app, choices, t('conversation.chooseASession'));
  }

  private requireConnection(): boolean {
    if (this.deps.parts.connection.state.kind === 'connected') return true;
    notify(t('session.connectFirst'));
    return false;
  }
}

const NO_STARTER_TEXT = t('session.startOpenCodeFirst');

export function titleFromPrompt(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length <= TITLE_LENGTH ? line : `${line.slice(0, TITLE_LENGTH - 1).trimEnd()}…`;
}

/** The options with which a session is started. */
export interface SessionOptions {
  readonly text: string;
  /** absent: the program's default */
  readonly agent?: string;
  readonly model?: string;
  /** id of the bridge, if there are several programs */
  readonly bridge?: string;
}

/**
 * Asks for the prompt and the agent. The keys are those of a conversation's composer.
 * @param props.tasks titles of the tasks to do: the prompt then only adds what the agent should
 *   know
 */
export function StartSessionForm(props: {
  readonly tasks?: readonly string[];
  readonly hosts: () => Promise<readonly StartHost[]>;
  /** preselected; empty: the program's default */
  readonly agent: string;
  readonly enterSends: boolean;
  readonly onDone: (wish: SessionOptions | undefined) => void;
}) {
  const { onDone, tasks } = props;
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(props.agent);
  const [model, setModel] = useState('');
  const { value, agent, about, bridge, host, agents } = resolveAgentChoice(
    useHosts(props.hosts),
    chosen,
  );
  const isMissing = (words: string) => tasks === undefined && words.trim() === '';
  const submit = () => {
    const words = text.trim();
    if (isMissing(words)) return;
    const models = host?.models.some(([id]) => id === model) === true ? { model } : {};
    onDone({ text: words, ...(agent !== '' && { agent }), ...models, ...bridge });
  };
  return (
    <div class="atb-form">
      {tasks !== undefined && (
        <ul class="atb-form-tasks" aria-label={t('session.tasks')}>
          {tasks.map((title, at) => (
            <li key={at}>{title}</li>
          ))}
        </ul>
      )}
      <Field name={tasks === undefined ? t('session.whatIsToBeDone') : t('session.whatElseToKnow')}>
        <textarea
          rows={tasks === undefined ? 4 : 2}
          value={text}
          placeholder={tasks === undefined ? t('session.sayWhatYouWant') : t('session.mayBeEmpty')}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.isComposing) return;
            if (!isSendKey(event, props.enterSends)) return;
            event.preventDefault();
            submit();
          }}
        />
      </Field>
      <div class="atb-run-pair">
        <CatalogField
          {...{ name: t('session.agent'), value, onChange: setChosen }}
          {...{ known: agents, host: host?.title, words: about }}
        />
        <CatalogField
          {...{ name: t('session.model'), value: model, onChange: setModel }}
          {...{ known: host?.models ?? [], host: host?.title }}
        />
      </div>
      <FormButtons
        yes={t('session.start')}
        disabled={isMissing(text)}
        onYes={submit}
        onNo={() => onDone(undefined)}
      />
    </div>
  );
}
