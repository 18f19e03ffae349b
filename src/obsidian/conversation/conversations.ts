import {
  MarkdownView,
  prepareFuzzySearch,
  type App,
  type Command,
  type Plugin,
  type TFile,
} from 'obsidian';
import type { Prompts } from '../ask/prompts';
import {
  CONVERSATION_VIEW,
  conversationTitle,
  ConversationView,
  openConversation,
} from './conversation-view';
import { conversationDeps } from './conversation-actions';
import { PromptDrafts, type ContextChip } from './drafts';
import { RelatedSource } from './related-source';
import type { Services } from '../app/services';
import type { CoreServices } from '../app/core-services';
import { failureWords, notify } from '../ui/notify';
import type { BoardWrites } from '../board/board-actions';
import { openBoard } from '../note/open-board';
import { pick } from '../ui/dialog';
import type { NoteTasksPanel } from '../note-tasks/note-tasks';
import type { SessionActions } from '../session/session-actions';
import type { Session } from '../../core/session/session';
import { canDo } from '../../core/session/session-host';
import { conditionalCommand } from '../ui/menu';
import { fileName, freePath } from '../board/import-export';
import type { Transcript } from '../../core/session/transcript/transcript';
import { conversationNote, type ConversationFacts } from './conversation-note';
import { t } from '../language/text';

interface ConversationsDeps {
  readonly plugin: Plugin;
  readonly parts: CoreServices;
  readonly services: Services;
  readonly prompts: Prompts;
  readonly sessions: SessionActions;
  readonly writes: BoardWrites;
  readonly noteTasks: Pick<NoteTasksPanel, 'notesOfSession'>;
}

/** Most UTF-16 units of a selection that go with a prompt. */
const MAX_SELECTION_LENGTH = 20_000;

/** Most notes that are offered after an `@`. */
const MAX_OFFERED_NOTES = 8;

/** Conversations of all sessions: their views, their commands, and where they are saved. */
export class Conversations {
  /** the note that was active last */
  private lastNote: TFile | null = null;
  private readonly app: App;
  private readonly drafts: PromptDrafts;

  constructor(private readonly deps: ConversationsDeps) {
    const { plugin } = deps;
    this.app = plugin.app;
    this.drafts = new PromptDrafts(this.app);
    const { workspace } = this.app;
    const view = conversationDeps({
      ...{ ...deps, app: this.app, drafts: this.drafts },
      openSession: (id) => void this.open(id),
      openPlan: (id) => this.openPlan(id),
      notes: (words) => this.notes(words),
      lastContext: () => this.lastContext(),
      related: new RelatedSource({
        app: this.app,
        source: (reader) => deps.services.tools.notesFor(reader),
        ofTask: (id) => deps.noteTasks.notesOfSession(id),
        lastContext: () => this.lastContext(),
      }),
    });
    plugin.registerView(CONVERSATION_VIEW, (leaf) => new ConversationView(leaf, view));
    plugin.registerEvent(
      workspace.on('file-open', (file) => (this.lastNote = file ?? this.lastNote)),
    );
    for (const command of this.commands()) plugin.addCommand(command);
  }

  /** @param blockKey key of a block to scroll to */
  async open(sessionId: string, blockKey?: string): Promise<void> {
    await openConversation(this.app, sessionId);
    if (blockKey === undefined) return;
    await this.deps.services.sessions.open(sessionId);
    for (const { view } of this.app.workspace.getLeavesOfType(CONVERSATION_VIEW)) {
      if (view instanceof ConversationView && view.sessionId === sessionId) view.goTo(blockKey);
    }
  }

  private commands() {
    const { parts, sessions, services } = this.deps;
    return conversationCommands({
      app: this.app,
      sessions: () => services.sessions.distinct(),
      open: (id) => this.open(id),
      stop: (id) => sessions.stop(id),
      canCompact: (session) => services.compaction.canCompact(session),
      compact: (id) => services.compaction.compactManually(id),
      canSendSelection: () =>
        services.overview.state.connection.kind === 'connected' && this.selection() !== undefined,
      sendSelection: async (id) => {
        const selection = this.selection();
        if (selection !== undefined) this.drafts.attach(id, selection);
        await this.open(id);
      },
      save: async (id) => {
        await services.sessions.open(id); // loads the whole transcript
        const { title, agent } = conversationTitle(services.overview.state, id);
        const folder = parts.settings.current.conversationFolder;
        const facts = { title, agent, sessionId: id, date: parts.clock.today() };
        const transcript = services.sessions.transcripts.get(id);
        return saveConversation(this.app, folder, transcript, facts);
      },
    });
  }

  /** The notes that match best; without words, the ones modified last. */
  private notes(words: string): readonly string[] {
    const fits = prepareFuzzySearch(words);
    return this.app.vault
      .getMarkdownFiles()
      .flatMap(({ path, stat }) => {
        const score = words === '' ? stat.mtime : fits(path)?.score;
        return score === undefined ? [] : [{ path, score }];
      })
      .sort((a, b) => b.score - a.score)
      .slice(0, MAX_OFFERED_NOTES)
      .map(({ path }) => path);
  }

  /** The note that was active last, or what is selected in it. */
  private lastContext(): ContextChip | undefined {
    const { lastNote: note } = this;
    if (note === null || this.app.vault.getFileByPath(note.path) === null) return undefined;
    return this.selection() ?? { kind: 'open', path: note.path };
  }

  /** The selection in the note that was active last. */
  private selection(): ContextChip | undefined {
    const { lastNote: note } = this;
    const views = this.app.workspace.getLeavesOfType('markdown').map(({ view }) => view);
    const view = views.find((one) => one instanceof MarkdownView && one.file?.path === note?.path);
    if (note === null || !(view instanceof MarkdownView) || view.getMode() !== 'source')
      return undefined;
    const text = view.editor.getSelection().slice(0, MAX_SELECTION_LENGTH);
    return text.trim() === '' ? undefined : { kind: 'selection', path: note.path, text };
  }

  private openPlan(sessionId: string): void {
    const [board] = conversationTitle(this.deps.services.overview.state, sessionId).boards;
    if (board === undefined) notify(t('conversation.thisSessionHasNoPlanYet'));
    else void openBoard({ app: this.app, store: this.deps.parts.store }, board, undefined, true);
  }
}

interface ConversationCommandDeps {
  readonly app: App;
  /** sessions that have a conversation, newest last */
  readonly sessions: () => readonly Pick<Session, 'id' | 'title' | 'state' | 'host'>[];
  readonly open: (sessionId: string) => Promise<void>;
  readonly save: (sessionId: string) => Promise<void>;
  readonly stop: (sessionId: string) => Promise<void>;
  readonly canCompact: (session: Pick<Session, 'id' | 'host'>) => boolean;
  readonly compact: (sessionId: string) => Promise<void>;
  /** whether text is selected in a note and can be sent */
  readonly canSendSelection: () => boolean;
  /** Opens a session's conversation and attaches the selection to its next prompt. */
  readonly sendSelection: (sessionId: string) => Promise<void>;
}

/**
 * Commands that act on one session: the one of the active conversation, else the person chooses.
 */
export function conversationCommands(deps: ConversationCommandDeps): readonly Command[] {
  const { app, sessions } = deps;
  const active = () => app.workspace.getActiveViewOfType(ConversationView)?.sessionId;
  const runs = (session: Pick<Session, 'state' | 'host'>) =>
    (session.state.kind === 'busy' || session.state.kind === 'retry') &&
    canDo(session, 'interrupt');
  const choose = async (
    among: ReturnType<typeof sessions>,
    run: (sessionId: string) => Promise<void>,
    here: string | undefined,
  ) => {
    const own = among.find(({ id }) => id === here)?.id;
    const choices = among.map(({ id, title }) => ({ text: title || id, value: id })).reverse();
    const id = own ?? (await pick(app, choices, t('conversation.chooseASession')));
    if (id !== undefined) await run(id);
  };
  const hasSessions = () => sessions().length > 0;
  const open = () => choose(sessions(), deps.open, undefined);
  const save = () => choose(sessions(), deps.save, active());
  const stop = () => choose(sessions().filter(runs), deps.stop, active());
  const compactable = () => sessions().filter(deps.canCompact);
  const compact = () => choose(compactable(), deps.compact, active());
  const promptable = () =>
    sessions().filter((one) => one.state.kind !== 'ended' && canDo(one, 'prompt'));
  const send = () => choose(promptable(), deps.sendSelection, undefined);
  const canSend = () => promptable().length > 0 && deps.canSendSelection();
  return [
    conditionalCommand('open-conversation', t('conversation.openConversation'), hasSessions, open),
    conditionalCommand(
      'save-conversation',
      t('conversation.saveConversationAsNote'),
      hasSessions,
      save,
    ),
    conditionalCommand('send-selection', t('conversation.sendSelectionToSession'), canSend, send),
    conditionalCommand('stop-turn', t('app.stopThisTurn'), () => sessions().some(runs), stop),
    conditionalCommand(
      'compact-session',
      t('conversation.compactSession'),
      () => compactable().length > 0,
      compact,
    ),
  ];
}

/**
 * Writes a conversation to a new note and opens it; never overwrites a note.
 * @param folder where saved conversations go; empty: the root of the vault
 */
export async function saveConversation(
  app: App,
  folder: string,
  { blocks, older }: Transcript,
  facts: ConversationFacts,
): Promise<void> {
  if (blocks.length === 0) return void notify(t('conversation.thereIsNothingToSaveYet'));
  let note: TFile;
  try {
    const path = folder.trim().replace(/^\/+|\/+$/g, '');
    if (path !== '' && app.vault.getAbstractFileByPath(path) === null) {
      await app.vault.createFolder(path);
    }
    const base = `${path === '' ? '' : `${path}/`}${fileName(facts.title)}`;
    note = await app.vault.create(
      freePath(app.vault, base, '.md'),
      conversationNote(blocks, facts),
    );
  } catch (error) {
    return void notify(failureWords(t('conversation.theConversationWasNotSaved'), error));
  }
  await app.workspace.getLeaf('tab').openFile(note);
  notify(t(older ? 'conversation.savedNewest' : 'conversation.saved', { path: note.path }));
}
