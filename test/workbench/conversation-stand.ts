import { connectedBy } from '../../src/core/session/connection';
import { Plugin } from 'obsidian';
import { PendingAsks, type Ask } from '../../src/core/permission/ask';
import { SessionEventBus, type SessionEvent } from '../../src/core/session/session-event-bus';
import { Sessions } from '../../src/core/session/sessions';
import type { SendOptions } from '../../src/core/session/bridge-runtime';
import { Transcripts } from '../../src/core/session/transcript/transcripts';
import type { ContinueState } from '../../src/core/session/auto-continue/continue-machine';
import type { Block } from '../../src/core/session/transcript/transcript';
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
import { FrameQueue } from '../../src/obsidian/conversation/use-transcript';
import { attentionItems } from '../../src/obsidian/model/attention';
import { pick } from '../../src/obsidian/ui/dialog';
import { Overview } from '../../src/obsidian/model/overview';

/** What tests drive the stand with, as `window.stand`. */
export interface Stand {
  emit(events: readonly unknown[]): void;
  /** Blocks that were kept from an earlier start. */
  restore(sessionId: string, blocks: readonly Block[]): void;
  open(sessionId: string): Promise<void>;
  save(sessionId: string): Promise<void>;
  connect(connected: boolean): void;
  /** one of our own tools asks */
  ask(ask: Ask): void;
  answered(requestId: string): void;
  readonly sent: { readonly text: string; readonly options: SendOptions | undefined }[];
  /** what was asked of dialogs, runtime and screen readers */
  readonly asked: string[];
  text(sessionId: string): string;
  /** the next prompt is refused with these words */
  refuse: string | undefined;
  /** no prompt is answered before this is settled */
  taking: Promise<void>;
  /** how often OpenCode was asked for what was said before */
  histories: number;
  /** what a session shows of going on by itself */
  continues(sessionId: string, state: ContinueState): void;
  settings: { enterSends: boolean; remoteImages: boolean };
}

const CONNECTED = connectedBy({ bridge: '1', opencode: '1', directory: '/v' });
const OFFLINE = { kind: 'disconnected', reason: 'off' } as const;

/** The conversation views over the real core; only OpenCode is stood in for. */
export default class ConversationStand extends Plugin {
  override onload(): void {
    const bus = new SessionEventBus();
    const asked: string[] = [];
    const sent: Stand['sent'] = [];
    const log = { note: (text: string) => void asked.push(`log ${text}`) };
    const history = () => {
      stand.histories += 1;
      return Promise.resolve([]);
    };
    const sessions = new Sessions(bus, { onWelcome: () => () => undefined });
    const transcripts = new Transcripts({ bus, runtime: { history }, log });
    const noTime = { now: () => 0, today: () => '2026-11-22', after: () => () => undefined };
    const asks = new PendingAsks(noTime);
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
        agents: [{ name: 'build' }, { name: 'plan' }, { name: 'explore', mode: 'subagent' }],
        models: [{ id: 'lab/one', name: 'One' }],
      });
    const stand: Stand = {
      emit: (events) => events.forEach((event) => bus.emit(event as SessionEvent)),
      restore: (id, blocks) => transcripts.restore(id, { blocks, older: false }),
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
      continues: (id, state) => overview.continueIs(id, state),
      settings: { enterSends: true, remoteImages: false },
      ...{ sent, asked, refuse: undefined, taking: Promise.resolve(), histories: 0 },
    };
    Object.assign(window, { stand });
    const drafts = new PromptDrafts(app);
    const view = {
      ...{ overview, transcripts, drafts },
      frames: new FrameQueue((frame) => window.requestAnimationFrame(frame)),
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
          if (stand.refuse !== undefined) throw new Error(stand.refuse);
          sent.push({ text, options });
          return { before: false };
        },
        interrupt: (id: string) => Promise.resolve(void asked.push(`interrupt ${id}`)),
      },
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
      before: () => ({ kind: 'open', path: 'Inbox.md' }) as const,
      pick: (choices: readonly { text: string; value: string }[], title: string) =>
        pick(app, choices, title, true),
      continues: {
        continueNow: (id: string) => void asked.push(`continue ${id}`),
        stop: (id: string) => void asked.push(`stay ${id}`),
        typing: (id: string, has: boolean) => void asked.push(`typing ${id} ${has}`),
      },
      openPlan: () => void asked.push('plan'),
    };
    const commands = conversationCommands({
      ...{ app, sessions: () => sessions.all() },
      open: (id) => stand.open(id),
      save: (id) => stand.save(id),
      stop: (id) => Promise.resolve(void asked.push(`interrupt ${id}`)),
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
