import { connectedState } from '../../src/core/session/connection';
import { Plugin, type App } from 'obsidian';
import { loadConfig } from '../../src/core/config/load-config';
import { DEFAULT_PERMISSIONS } from '../../src/core/permission/permissions';
import { PathResolver } from '../../src/core/permission/path-resolver';
import { fixedAccessRules } from '../../src/core/permission/access-rules';
import type { Rule } from '../../src/core/permission/rule';
import type { NoteStore } from '../../src/core/ports';
import { defaultSettings, policyOf } from '../../src/core/shared-settings';
import { NoteIndex } from '../../src/core/tool/note/note-index';
import { readableNote } from '../../src/core/tool/readable-note';
import { vaultFolderReader } from '../../src/obsidian/adapter/vault-files';
import { vaultNotes } from '../../src/obsidian/adapter/vault-notes';
import { RelatedSource, type RelatedDeps } from '../../src/obsidian/conversation/related-source';
import { PendingPermissions, type ToolPermissionRequest } from '../../src/core/permission/ask';
import { SessionEventBus, type SessionEvent } from '../../src/core/session/session-event-bus';
import { Sessions } from '../../src/core/session/sessions';
import type { SendOptions } from '../../src/core/session/bridge-runtime';
import { Transcripts } from '../../src/core/session/transcript/transcripts';
import type { ContinueState } from '../../src/core/session/auto-continue/continue-machine';
import { contextUse } from '../../src/core/context/context-use';
import type { Block, Transcript } from '../../src/core/session/transcript/transcript';
import {
  CONVERSATION_VIEW,
  ConversationView,
  openConversation,
} from '../../src/obsidian/conversation/conversation-view';
import {
  conversationCommands,
  saveConversation,
} from '../../src/obsidian/conversation/conversations';
import type { ConversationDeps } from '../../src/obsidian/conversation/conversation-actions';
import { PromptDrafts } from '../../src/obsidian/conversation/drafts';
import { SuggestedTasks } from '../../src/obsidian/conversation/suggested-tasks';
import { FrameQueue } from '../../src/obsidian/conversation/use-transcript';
import { attentionItems } from '../../src/obsidian/model/attention';
import { pick } from '../../src/obsidian/ui/dialog';
import { Overview } from '../../src/obsidian/model/overview';

/** The interface of the stand for tests, as `window.stand`. */
export interface ConversationHarness {
  emit(events: readonly unknown[]): void;
  /** Restores blocks stored at an earlier start. */
  restore(sessionId: string, blocks: readonly Block[], older?: boolean): void;
  open(sessionId: string): Promise<void>;
  save(sessionId: string): Promise<void>;
  connect(connected: boolean): void;
  /** shows a request by one of our own tools */
  ask(ask: ToolPermissionRequest): void;
  answered(requestId: string): void;
  readonly sent: { readonly text: string; readonly options: SendOptions | undefined }[];
  /** requests to dialogs, runtime and screen readers */
  readonly asked: string[];
  text(sessionId: string): string;
  /** why no session can be compacted now */
  busy: string | undefined;
  /** refuses the next prompt with this message */
  refuse: string | undefined;
  /** whether prompts are sent with keys; the keys of those that were refused */
  sendsKeys: boolean;
  readonly refusedKeys: (string | undefined)[];
  /** delays the answers to prompts */
  taking: Promise<void>;
  /** how often the history was requested from OpenCode */
  histories: number;
  /** delays the history */
  opening: Promise<void>;
  /** sets the auto-continue state that a session shows */
  continues(sessionId: string, state: ContinueState): void;
  settings: { enterSends: boolean; remoteImages: boolean };
}

/** Reads the files of the vault. */
function filesOf({ vault: { adapter } }: App): Pick<NoteStore, 'read' | 'stat'> {
  return {
    read: async (path) => ((await adapter.exists(path)) ? adapter.read(path) : undefined),
    stat: async (path) => (await adapter.stat(path)) ?? undefined,
  };
}

/** The real search, under rules that deny one folder and ask about another. */
function relatedIn(
  app: App,
  store: Pick<NoteStore, 'read' | 'stat'>,
  before: RelatedDeps['lastContext'],
): RelatedSource {
  const notes = vaultNotes(app, store);
  const rules: Rule[] = [
    { permission: 'read', pattern: 'Denied/**', action: 'deny' },
    { permission: 'read', pattern: 'Asked/**', action: 'ask' },
  ];
  const policy = policyOf({ ...defaultSettings(), permissions: { ...DEFAULT_PERMISSIONS, rules } });
  const deps = {
    permitting: fixedAccessRules(() => policy),
    clock: { now: () => 0, today: () => '', after: () => () => undefined },
    notes: { store: store as NoteStore, resolver: new PathResolver() },
  };
  const pause = () => new Promise<void>((resolve) => window.setTimeout(resolve, 0));
  const index = new NoteIndex({ notes, hidden: () => false, pause });
  return new RelatedSource({
    ...{ app, lastContext: before },
    ofTask: () => Promise.resolve([]),
    source: (reader) =>
      Promise.resolve({
        search: (query) => index.search(query),
        leadsTo: (link, from) => notes.leadsTo(link, from),
        readable: (path) => readableNote(deps, reader, path),
      }),
  });
}

const CONNECTED = connectedState({ bridge: '1', opencode: '1', directory: '/v' });
const OFFLINE = { kind: 'disconnected', reason: 'off' } as const;

/** The conversation views over the real core; only OpenCode is replaced by a fake. */
export default class ConversationHarnessPlugin extends Plugin {
  override onload(): void {
    const bus = new SessionEventBus();
    const asked: string[] = [];
    let keys = 0;
    const sent: ConversationHarness['sent'] = [];
    const log = { note: (text: string) => void asked.push(`log ${text}`) };
    const history = async () => {
      stand.histories += 1;
      await stand.opening;
      return [];
    };
    const sessions = new Sessions(bus, { onWelcome: () => () => undefined });
    const transcripts = new Transcripts({ bus, runtime: { history }, log });
    const noTime = { now: () => 0, today: () => '2026-11-22', after: () => () => undefined };
    const asks = new PendingPermissions(noTime);
    let connected = true;
    const overview = new Overview({
      boards: () => [],
      sessions: () => sessions.all(),
      asks: () => asks.all(),
      connection: () => (connected ? CONNECTED : OFFLINE),
    });
    sessions.onChange(() => overview.sessionsChanged());
    asks.onChange(() => overview.asksChanged());
    const { app } = this;
    const catalog = () =>
      Promise.resolve({
        agents: [
          ...[{ name: 'build' }, { name: 'plan' }, { name: 'explore', mode: 'subagent' }],
          { name: 'back\u202eward', description: 'Turns\u2066 words' },
        ],
        models: [{ id: 'lab/one', name: 'One' }],
        commands: [
          { name: 'init', description: 'Writes an AGENTS.md for this folder.' },
          { name: 'review', description: 'Reviews the changes of a branch, or those that wait.' },
          { name: 'compact' },
          { name: 'turn\u202eround' },
          ...Array.from({ length: 30 }, (_, n) => ({ name: `vault:tidy-up-${n}` })),
        ],
      });
    const stand: ConversationHarness = {
      emit: (events) => events.forEach((event) => bus.emit(event as SessionEvent)),
      restore: (id, blocks, older = false) => transcripts.restore(id, { blocks, older }),
      open: (id) => openConversation(app, id),
      ask: (one) => void asks.ask(one),
      answered: (id) => void asks.answer(id, { reply: 'once' }),
      save: (id) =>
        saveConversation(app, 'Talks', transcripts.get(id), {
          ...{ title: `Talk ${id}`, agent: 'build', sessionId: id, date: '2026-11-22' },
        }),
      connect: (now) => {
        connected = now;
        overview.connectionChanged();
      },
      text: (id) =>
        transcripts
          .get(id)
          .blocks.map((block) => ('text' in block ? block.text : ''))
          .join('\n'),
      continues: (id, state) => overview.setContinueState(id, state),
      settings: { enterSends: true, remoteImages: false },
      ...{
        sent,
        asked,
        refuse: undefined,
        ...{ sendsKeys: false, refusedKeys: [] },
        busy: undefined,
        taking: Promise.resolve(),
        histories: 0,
        opening: Promise.resolve(),
      },
    };
    Object.assign(window, { stand });
    const drafts = new PromptDrafts(app);
    const lastContext = () => ({ kind: 'open', path: 'Inbox.md' }) as const;
    const compacting = {
      use: (transcript: Transcript) =>
        contextUse(transcript, { board: 'x'.repeat(300), skills: 'y'.repeat(30) }),
      currentUse: (transcript: Transcript) => Promise.resolve(compacting.use(transcript)),
      compactManually: (id: string) => Promise.resolve(void asked.push(`compact ${id}`)),
      whyNotCompact: () => stand.busy,
    };
    const view = {
      ...{ overview, transcripts, drafts, compacting },
      frames: new FrameQueue(),
      needs: {
        needs: () => attentionItems(sessions.all(), asks.all()),
        onChange: (listener: () => void) => {
          const undos = [sessions.onChange(listener), asks.onChange(listener)];
          return () => undos.forEach((undo) => undo());
        },
      },
      runtime: {
        catalog,
        send: async (_: string, text: string, options?: SendOptions) => {
          await stand.taking;
          if (stand.refuse !== undefined) {
            stand.refusedKeys.push(options?.repeat);
            throw new Error(stand.refuse);
          }
          sent.push({ text, options });
          return { before: false };
        },
        interrupt: (id: string) => Promise.resolve(void asked.push(`interrupt ${id}`)),
      },
      ids: { unique: () => `key ${(keys += 1)}` },
      sendsKeys: () => stand.sendsKeys,
      settings: () => stand.settings,
      today: () => '2026-11-22',
      announce: (sentence: string) => void asked.push(`announce ${sentence}`),
      review: (id: string, step = 'ask') => void asked.push(`review ${id} ${step}`),
      allowOnce: (id: string) => void asked.push(`allow ${id}`),
      openNote: (path: string) => void asked.push(`open ${path}`),
      openSession: (id: string) => void asked.push(`session ${id}`),
      copy: (text: string) => void asked.push(`copy ${text}`),
      notes: (words: string) =>
        app.vault
          .getMarkdownFiles()
          .map(({ path }) => path)
          .filter((path) => path.toLowerCase().includes(words.toLowerCase())),
      ...{ lastContext, related: relatedIn(app, filesOf(app), lastContext) },
      config: {
        read: () => loadConfig(vaultFolderReader(filesOf(app), app.vault.adapter), undefined),
      },
      pick: (choices: readonly { text: string; value: string }[], title: string) =>
        pick(app, choices, title, true),
      continues: {
        continueNow: (id: string) => void asked.push(`continue ${id}`),
        stop: (id: string) => void asked.push(`stay ${id}`),
        setTyping: (id: string, has: boolean) => void asked.push(`typing ${id} ${has}`),
      },
      openPlan: () => void asked.push('plan'),
      suggestedIn: (id: string) =>
        new SuggestedTasks({ overview, storage: app, add: () => Promise.resolve(false) }, id),
    };
    const commands = conversationCommands({
      ...{ app, sessions: () => sessions.all() },
      open: (id) => stand.open(id),
      save: (id) => stand.save(id),
      stop: (id) => Promise.resolve(void asked.push(`interrupt ${id}`)),
      canCompact: () => true,
      compact: (id) => compacting.compactManually(id),
      canSendSelection: () => true,
      sendSelection: (id) => {
        drafts.attach(id, { kind: 'selection', path: 'Inbox.md', text: 'chosen' });
        return stand.open(id);
      },
    });
    for (const command of commands) this.addCommand(command);
    this.registerView(
      CONVERSATION_VIEW,
      (leaf) => new ConversationView(leaf, view as unknown as ConversationDeps),
    );
  }
}
