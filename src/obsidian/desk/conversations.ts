import { MarkdownView, prepareFuzzySearch, type App, type Plugin, type TFile } from 'obsidian';
import type { Asker } from '../ask/asker';
import { conversationCommands } from '../conversation/conversation-commands';
import type { ConversationDeps } from '../conversation/conversation-deps';
import { conversationTitle } from '../conversation/conversation-title';
import { CONVERSATION_VIEW, ConversationView } from '../conversation/conversation-view';
import { Drafts, type ContextChip } from '../conversation/drafts';
import { FrameQueue } from '../conversation/frame-queue';
import { openConversation } from '../conversation/open-conversation';
import { saveConversation } from '../conversation/save-conversation';
import type { Desk } from './desk';
import type { DeskParts } from './desk-parts';
import { notify } from './notify';
import { openBoard } from './open-board';
import { pick } from './pick';
import type { SessionActions } from './session-actions';

export interface ConversationsDeps {
  readonly plugin: Plugin;
  readonly parts: DeskParts;
  readonly desk: Desk;
  readonly asker: Asker;
  readonly sessions: SessionActions;
}

/** UTF-16 units of a selection that go with a prompt. */
const LONGEST_SELECTION = 20_000;

/** Notes that are offered behind an `@`. */
const OFFERED = 8;

/** The conversations of all sessions, in the app: their views, their commands, where they are saved. */
export class Conversations {
  /** the note that the person was in last */
  private note: TFile | null = null;
  private readonly app: App;

  constructor(private readonly deps: ConversationsDeps) {
    const { plugin } = deps;
    this.app = plugin.app;
    const { workspace } = this.app;
    const view = { ...this.viewDeps(), openPlan: (id: string) => this.openPlan(id) };
    plugin.registerView(CONVERSATION_VIEW, (leaf) => new ConversationView(leaf, view));
    plugin.registerEvent(workspace.on('file-open', (file) => (this.note = file ?? this.note)));
    for (const command of this.commands()) plugin.addCommand(command);
  }

  /** @param blockKey of the block that is brought into sight */
  async open(sessionId: string, blockKey?: string): Promise<void> {
    await openConversation(this.app, sessionId);
    if (blockKey === undefined) return;
    await this.deps.desk.sessions.open(sessionId);
    for (const { view } of this.app.workspace.getLeavesOfType(CONVERSATION_VIEW)) {
      if (view instanceof ConversationView && view.sessionId === sessionId) view.goTo(blockKey);
    }
  }

  private commands() {
    const { parts, sessions, desk } = this.deps;
    return conversationCommands({
      app: this.app,
      sessions: () => desk.sessions.list(),
      open: (id) => this.open(id),
      stop: (id) => sessions.stop(id),
      save: async (id) => {
        await desk.sessions.open(id); // all of it that is kept
        const { title, agent } = conversationTitle(desk.overview.state, id);
        const folder = parts.settings.current.conversationFolder;
        const facts = { title, agent, sessionId: id, date: parts.clock.today() };
        const transcript = desk.sessions.transcripts.get(id);
        return saveConversation({ app: this.app, folder, notify }, transcript, facts);
      },
    });
  }

  private viewDeps(): ConversationDeps {
    const { app } = this;
    const { parts, desk, asker } = this.deps;
    return {
      overview: desk.overview,
      transcripts: desk.sessions.shown,
      frames: new FrameQueue((frame) => window.requestAnimationFrame(frame)),
      needs: asker,
      runtime: parts.runtime,
      drafts: new Drafts(app),
      settings: () => parts.settings.current,
      today: () => parts.clock.today(),
      notify,
      announce: (sentence) => desk.tell(sentence),
      review: (requestId, step) => asker.review(requestId, step),
      allowOnce: (requestId) => asker.allowOnce(requestId),
      openNote: (path, newTab) => void app.workspace.openLinkText(path, '', newTab ? 'tab' : false),
      copy: (text) => void navigator.clipboard.writeText(text).then(() => notify('Copied.')),
      notes: (words) => this.notes(words),
      before: () => this.before(),
      pick: (choices, placeholder) => pick(app, choices, placeholder, true),
      continues: desk.continues.auto,
    };
  }

  /** Those that fit best; for no words those that were changed last. */
  private notes(words: string): readonly string[] {
    const fits = prepareFuzzySearch(words);
    return this.app.vault
      .getMarkdownFiles()
      .flatMap(({ path, stat }) => {
        const score = words === '' ? stat.mtime : fits(path)?.score;
        return score === undefined ? [] : [{ path, score }];
      })
      .sort((a, b) => b.score - a.score)
      .slice(0, OFFERED)
      .map(({ path }) => path);
  }

  /** The note that the person was in last, or what is selected in it. */
  private before(): ContextChip | undefined {
    const { note } = this;
    if (note === null || this.app.vault.getFileByPath(note.path) === null) return undefined;
    const views = this.app.workspace.getLeavesOfType('markdown').map(({ view }) => view);
    const view = views.find((one) => one instanceof MarkdownView && one.file?.path === note.path);
    if (view instanceof MarkdownView && view.getMode() === 'source') {
      const text = view.editor.getSelection().slice(0, LONGEST_SELECTION);
      if (text.trim() !== '') return { kind: 'selection', path: note.path, text };
    }
    return { kind: 'note', path: note.path };
  }

  private openPlan(sessionId: string): void {
    const [board] = conversationTitle(this.deps.desk.overview.state, sessionId).boards;
    if (board === undefined) notify('This session has no plan yet.');
    else void openBoard(this.app, board, undefined, true);
  }
}
