import { Platform, type App } from 'obsidian';
import { useState } from 'preact/hooks';
import { isValidAgentName } from '../../core/board/board-path';
import type { Board } from '../../core/board/task';
import { serveCommand } from '../../core/connect/clients';
import { AuditReader } from '../../core/permission/audit/audit-reader';
import type { AuditStore } from '../../core/permission/audit/audit-store';
import type { Catalog } from '../../core/session/bridge-runtime';
import { handoffText } from '../../core/tool/handoff';
import type { CoreServices } from '../app/core-services';
import { CopyableCode } from '../connect/agents-dialog';
import { openForm } from '../ui/dialog';
import { AgentField, CatalogField, Field, FormButtons, Select, useCatalog } from '../ui/fields';
import { copyButton, copyText, failureWords, notify, tryOrNotify } from '../ui/notify';
import type { SessionManagement } from './session-management';
import { resolveAgentChoice, startHosts, useHosts, type StartHost } from './start-choices';
import { t } from '../language/text';

interface HandOverDeps {
  readonly app: App;
  readonly parts: Pick<CoreServices, 'connection' | 'runtime' | 'settings' | 'agents'>;
  readonly keeping: Pick<SessionManagement, 'moveToNew'>;
  /** whether a connected program can start sessions */
  readonly canStart: () => boolean;
  /** opens a session's conversation */
  readonly show: (sessionId: string) => void;
  readonly audit: AuditStore;
}

/** The person's choices for the new session. */
interface HandOverChoice {
  readonly text: string;
  readonly agent: string;
  readonly model: string;
  /** id of the bridge, if there are several programs */
  readonly bridge?: string;
}

/** Gives the rest of a plan to another agent, or to a client, with a summary that the person can change. */
export class HandOver {
  constructor(private readonly deps: HandOverDeps) {}

  async ask(board: Board): Promise<void> {
    const { app, parts, canStart } = this.deps;
    const { runtime, settings, agents } = parts;
    const openDialog = async (): Promise<void> => {
      const rows = await new AuditReader(this.deps.audit).recentRows();
      const text = handoffText(board, rows);
      const given = { board, text, starts: canStart(), folder: agents?.folder };
      const catalog = () => runtime.catalog();
      const hosts = () => startHosts(parts);
      const { defaultAgent } = settings.current;
      const title =
        board.title === ''
          ? t('session.handOverPlan')
          : t('session.handOverOf', { title: board.title });
      const choice = await openForm<HandOverChoice>(app, title, (onDone) => (
        <HandOverForm {...{ ...given, catalog, hosts, defaultAgent, onDone }} />
      ));
      if (choice !== undefined) await this.start(board, choice);
    };
    await tryOrNotify(notify, t('session.thePlanWasNotHandedOver'), openDialog());
  }

  /** If the text was not delivered, a notice offers to copy it. */
  private async start(board: Board, { text, agent, model, bridge }: HandOverChoice): Promise<void> {
    const { keeping, show, parts } = this.deps;
    const choice = { agent, ...(model !== '' && { model }) };
    const failed = (what: string, error: unknown): void => {
      const button = copyButton(text, notify, undefined, t('session.copySummary'));
      notify(failureWords(what, error), button);
    };
    let moved: Awaited<ReturnType<SessionManagement['moveToNew']>>;
    try {
      const there = bridge === undefined ? choice : { ...choice, bridge };
      moved = await keeping.moveToNew(board, there, agent);
    } catch (error) {
      return failed(t('session.thePlanWasNotHandedOver'), error);
    }
    show(moved.sessionId);
    try {
      await parts.runtime.send(moved.sessionId, text, choice);
      notify(t('session.handedOver', { agent, tasks: t('common.tasks', { count: moved.tasks }) }));
    } catch (error) {
      failed(t('session.summaryNotSent'), error);
    }
  }
}

type Receiver = 'session' | 'client';

const RECEIVERS: readonly (readonly [Receiver, string])[] = [
  ['session', t('session.anAgentInANewSession')],
  ['client', t('session.aClientOverMCP')],
];

/** Asks which agent or client takes over, and shows the text it gets. */
function HandOverForm(props: {
  readonly board: Board;
  readonly text: string;
  readonly starts: boolean;
  /** the vault's folder; undefined if no programs can be run */
  readonly folder: string | undefined;
  readonly defaultAgent: string;
  readonly catalog: () => Promise<Catalog>;
  readonly hosts: () => Promise<readonly StartHost[]>;
  readonly onDone: (wish: HandOverChoice | undefined) => void;
}) {
  const { board, starts, onDone } = props;
  const [to, setTo] = useState<Receiver>(starts ? 'session' : 'client');
  const [typed, setTyped] = useState<string>();
  const [chosen, setChosen] = useState<string>();
  const [model, setModel] = useState('');
  const catalog = useCatalog(props.catalog);
  const hosts = useHosts(props.hosts);
  const names = hosts.flatMap(({ agents }) => agents.map((one) => one.agent));
  const known = hosts.length > 1 ? names : catalog.agents;
  const successor = resolveAgentChoice(
    hosts,
    chosen ?? firstAgent(known, board.agent, props.defaultAgent),
  );
  const { agent } = successor;
  const text = typed ?? (to === 'client' ? `${props.text}\n\n${resumePrompt(board)}` : props.text);
  const problem =
    agent === '' || isValidAgentName(agent) ? undefined : t('session.noAgentHasThisName');
  const ready = text.trim() !== '' && (to === 'client' || (agent !== '' && problem === undefined));
  const submit = () => {
    if (!ready) return;
    if (to === 'client') void copyText(text.trim(), notify, t('session.summaryCopied'));
    else {
      const isKnown =
        hosts.length < 2 || successor.host?.models.some(([id]) => id === model) === true;
      onDone({ text: text.trim(), agent, model: isKnown ? model : '', ...successor.bridge });
    }
  };
  return (
    <div class="atb-form">
      {starts && (
        <Field name={t('session.whoTakesOver')}>
          <Select value={to} options={RECEIVERS} onChange={(one) => setTo(one as Receiver)} />
        </Field>
      )}
      {to === 'session' ? (
        <SuccessorFields
          {...{ hosts, successor, catalog, problem, model, setModel }}
          onChange={setChosen}
        />
      ) : (
        <ClientInstructions {...{ board }} folder={props.folder} />
      )}
      <Field
        name={
          to === 'session' ? t('session.firstWordsToTheAgent') : t('session.summaryForTheClient')
        }
      >
        <textarea
          rows={12}
          value={text}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => {
            const chord = event.ctrlKey || event.metaKey;
            if (event.key !== 'Enter' || event.isComposing || !chord) return;
            event.preventDefault();
            submit();
          }}
        />
      </Field>
      <FormButtons
        yes={to === 'session' ? t('session.handOver') : t('session.copySummary')}
        no={to === 'session' ? t('session.cancel') : t('session.close')}
        disabled={!ready}
        onYes={submit}
        onNo={() => onDone(undefined)}
      />
    </div>
  );
}

/** Fields for the agent, its program if there are several, and its model. */
function SuccessorFields(props: {
  readonly hosts: readonly StartHost[];
  readonly successor: ReturnType<typeof resolveAgentChoice>;
  readonly catalog: ReturnType<typeof useCatalog>;
  readonly problem: string | undefined;
  readonly model: string;
  readonly setModel: (model: string) => void;
  readonly onChange: (agent: string) => void;
}) {
  const { hosts, successor, catalog, problem, model, setModel, onChange } = props;
  const isMany = hosts.length > 1;
  return (
    <div class="atb-run-pair">
      {isMany ? (
        <Field name={t('session.agent')} words={successor.about} problem={problem}>
          <Select value={successor.value} options={successor.agents} onChange={onChange} />
        </Field>
      ) : (
        <AgentField {...{ catalog, problem, onChange }} agent={successor.agent} fixed={false} />
      )}
      <CatalogField
        {...{ name: t('session.model'), value: model, onChange: setModel }}
        known={isMany ? (successor.host?.models ?? []) : catalog.models}
        host={successor.host?.title}
      />
    </div>
  );
}

/** Explains how a client takes the plan over, with the command to copy. */
function ClientInstructions({
  board,
  folder,
}: {
  readonly board: Board;
  readonly folder?: string | undefined;
}) {
  const command = serveCommand(board.session, folder, Platform.isWin);
  return (
    <div class="atb-agent">
      <p role="status">{t('session.clientTakesUp')}</p>
      <CopyableCode text={command} label={t('session.copyCommandForAClient')} />
    </div>
  );
}

function resumePrompt({ session }: Board): string {
  const call = JSON.stringify({ operations: [{ type: 'resume', session }] });
  return `Take the board up first: call the tool \`tasks\` with ${call}.`;
}

/**
 * The preselected agent: the plan's own if it is known, else the one of the settings, else the
 * first.
 */
function firstAgent(known: readonly string[], own: string, preset: string): string {
  if (known.includes(own)) return own;
  return preset !== '' ? preset : (known[0] ?? '');
}
