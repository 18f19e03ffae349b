import type { ComponentChildren, Ref, RefObject } from 'preact';
import { useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  blockKey,
  type Block,
  type BlockOf,
  type Transcript,
} from '../../core/session/transcript/transcript';
import { Button, Icon, useAccessibleName } from '../ui/icon';
import { BlockView } from './block-view';
import type { BlockActions } from './conversation-actions';
import { useTranscriptWindow } from './transcript-window';
import type { drawnRows } from '../ui/drawn-rows';
import { useHighlights } from './find-bar';
import { listIndexForKey, targetElement } from '../ui/focus';
import { useRedraw } from '../ui/use-changes';
import { useTranscript, type FrameQueue, type TranscriptSource } from './use-transcript';
import { readRunPrompt } from '../../core/orchestrator/run-prompt';
import { faultText, t } from '../language/text';

/** What other parts of the view can do with the list. */
export interface ListHandle {
  /** Focuses the block that had the focus last, else the newest. */
  focus(): void;
  /** Scrolls to a block and marks it as found; undefined clears the mark. */
  find(key: string | undefined): void;
  toEnd(): void;
  /** Key of the focused block if it is among `blocks`, else of the last one. */
  lastOf(blocks: ReadonlyMap<string, unknown>): string | undefined;
}

interface TranscriptListProps {
  readonly source: TranscriptSource;
  readonly frames: FrameQueue;
  readonly sessionId: string;
  /** accessible name */
  readonly name: string;
  readonly agent: string;
  /** ids of requests that wait for the person */
  readonly pending: ReadonlySet<string>;
  readonly online: boolean;
  readonly actions: BlockActions;
  /** words to highlight */
  readonly finding: string;
  readonly handle: Ref<ListHandle>;
  readonly onTranscript: (transcript: Transcript) => void;
}

/** A session's transcript; draws only the blocks near the visible part. */
export function TranscriptList(props: TranscriptListProps) {
  const { pending, agent } = props;
  const { place: listWindow, following, scroller, list, onShown } = useTranscriptWindow();
  const { source, sessionId, frames } = props;
  const { transcript, look: refresh } = useTranscript(
    source,
    sessionId,
    frames,
    () => listWindow.shown,
  );
  onShown.current = refresh;
  const items = useItems(transcript);
  useHighlights(list, props.finding);
  const [found, setFound] = useState<string | undefined>();
  useLayoutEffect(() => props.onTranscript(transcript), [transcript]);
  const folds = useFolds();
  const { isOpen, toggle } = folds;
  const { stop: tabStop, go: focusBlock, onKey } = useBlockFocus(items, list, folds);
  useImperativeHandle(props.handle, () => ({
    focus: () => focusBlock(tabStop),
    find: (key) => {
      const item = items.find((one) => keysOf(one).includes(key ?? ''));
      setFound(item?.key);
      if (item === undefined) return;
      if (!isOpen(item)) toggle(item.key);
      listWindow.goTo(item.key);
    },
    toEnd: () => listWindow.goToEnd(),
    lastOf: (blocks) =>
      tabStop !== undefined && blocks.has(tabStop)
        ? tabStop
        : items.findLast(({ key }) => blocks.has(key))?.key,
  }));
  const draw = (item: TranscriptItem, index: number) => (
    <div
      key={item.key}
      class="atb-talk-block"
      data-block={item.key}
      data-kind={item.block.kind}
      data-found={item.key === found}
      tabIndex={item.key === tabStop ? 0 : -1}
    >
      <BlockView
        {...{ block: item.block, board: item.board, id: item.key, open: isOpen(item) }}
        agentName={item.showsAgent ? agent : null}
        pending={'request' in item.block && pending.has(item.block.request.requestId)}
        last={index === items.length - 1}
        actions={props.actions}
        onToggle={toggle}
      />
    </div>
  );
  const [named, name] = useAccessibleName(props.name);
  const focusedIndex = items.findIndex(({ key }) => key === tabStop);
  return (
    <div class="atb-talk">
      {name}
      <div class="atb-talk-scroll" ref={scroller}>
        <OlderMessages
          {...{ ...props, scroller, older: transcript.older, empty: items.length === 0 }}
        />
        <div
          class="atb-talk-list"
          role="log"
          aria-live="off"
          {...named}
          ref={list}
          onKeyDown={onKey}
        >
          {items.length === 0 && <p class="atb-talk-empty">{EMPTY_TEXT}</p>}
          {withGaps(listWindow.rowsToDraw(items, focusedIndex), items, draw)}
        </div>
      </div>
      {!following && <NewTextBelow transcript={transcript} onGo={() => listWindow.goToEnd()} />}
    </div>
  );
}

const EMPTY_TEXT = t('conversation.sayWhatYouWant');

function useItems(transcript: Transcript): readonly TranscriptItem[] {
  const before = useRef<readonly TranscriptItem[]>([]);
  return useMemo(
    () => (before.current = transcriptItems(transcript.blocks, before.current)),
    [transcript],
  );
}

/** The drawn items, and gaps as high as the items that are not drawn. */
function withGaps(
  { runs, rest }: ReturnType<typeof drawnRows>,
  items: readonly TranscriptItem[],
  draw: (item: TranscriptItem, index: number) => ComponentChildren,
): ComponentChildren {
  const gap = (name: string, height: number) =>
    height > 0 && <div key={`gap ${name}`} class="atb-gap" style={{ height: `${height}px` }} />;
  return [
    ...runs.flatMap((run, index) => [
      gap(String(index), run.gap),
      ...items.slice(run.from, run.to).map((item, at) => draw(item, run.from + at)),
    ]),
    gap('rest', rest),
  ];
}

/** Keys of the blocks that an item shows. */
function keysOf({ key, board }: TranscriptItem): readonly string[] {
  return board === undefined ? [key] : [key, blockKey(board)];
}

/** Which items are unfolded: the default of each, inverted for those that the person toggled. */
function useFolds() {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const toggle = useMemo(
    () => (key: string) =>
      setToggled((now) => {
        const next = new Set(now);
        if (!next.delete(key)) next.add(key);
        return next;
      }),
    [],
  );
  return {
    toggle,
    isOpen: (item: TranscriptItem) => toggled.has(item.key) !== isOpenByDefault(item),
  };
}

/** One item of the list: a block with what is needed to draw it. */
interface TranscriptItem {
  readonly key: string;
  readonly block: Block;
  /** for a call of `tasks`: what it changed on the board */
  readonly board?: BlockOf<'board'>;
  /** whether the agent's name is shown above, since its messages start here */
  readonly showsAgent: boolean;
  /** estimated height in px, used until it was drawn */
  readonly estimatedHeight: number;
}

/**
 * The blocks that are shown, as items; unchanged items of `before` are reused.
 * @param before the items of the previous transcript
 */
export function transcriptItems(
  blocks: readonly Block[],
  before: readonly TranscriptItem[] = [],
): readonly TranscriptItem[] {
  const items: TranscriptItem[] = [];
  const boards = boardsOfCalls(blocks);
  let spoke = false;
  for (const block of blocks) {
    if (block.kind === 'board' && boards.get(block.call ?? '') === block) continue;
    if (block.kind === 'turn' && block.reason === 'completed') {
      spoke = false;
      continue;
    }
    const own = NON_ANSWER_KINDS.has(block.kind);
    const showsAgent: boolean = !own && !spoke;
    spoke = !own;
    const old = before[items.length];
    const board = block.kind === 'tool' ? boards.get(block.id) : undefined;
    const same = old?.block === block && old.showsAgent === showsAgent && old.board === board;
    const fresh = {
      key: blockKey(block),
      block,
      showsAgent,
      estimatedHeight: estimateHeight(board ?? block),
    };
    items.push(same ? old : { ...fresh, ...(board !== undefined && { board }) });
  }
  return items;
}

/** What calls of `tasks` changed on the board, by call id; drawn with the call. */
function boardsOfCalls(blocks: readonly Block[]): ReadonlyMap<string, BlockOf<'board'>> {
  const boards = new Map<string, BlockOf<'board'>>();
  const calls = new Set<string>();
  for (const block of blocks) {
    if (block.kind === 'tool') calls.add(block.id);
    if (block.kind !== 'board' || block.call === undefined || !calls.has(block.call)) continue;
    if (!boards.has(block.call)) boards.set(block.call, block);
  }
  return boards;
}

/** Kinds of blocks that are not part of the agent's answer. */
const NON_ANSWER_KINDS: ReadonlySet<Block['kind']> = new Set([
  'prompt',
  'turn',
  'missed',
  'compacted',
]);

/** Estimated characters per line, and px per line. */
const [CHARS_PER_LINE, LINE_HEIGHT] = [85, 23];

function estimateHeight(block: Block): number {
  if (block.kind === 'board') return 44 + 26 * block.changes.length;
  if (block.kind === 'permission' || block.kind === 'question') return 180;
  if (block.kind !== 'prompt' && block.kind !== 'text') return 38;
  const head = block.kind === 'prompt' ? 64 : 24;
  return head + LINE_HEIGHT * Math.ceil(block.text.length / CHARS_PER_LINE);
}

/** Changes of the board are unfolded until the person folds them. */
function isOpenByDefault({ block, board }: TranscriptItem): boolean {
  return block.kind === 'board' || board !== undefined;
}

/** Whether a block can be unfolded. */
function canUnfold(block: Block): boolean {
  if (block.kind === 'prompt') return readRunPrompt(block.text) !== undefined;
  if (block.kind === 'compacted') return (block.summary ?? '') !== '';
  return FOLDABLE_KINDS.has(block.kind);
}

const FOLDABLE_KINDS: ReadonlySet<Block['kind']> = new Set(['board', 'thinking', 'tool', 'todos']);

/** px from the top at which older messages are asked for. */
const NEAR_TOP = 600;

/** Loads older messages as the person scrolls near the top, and shows progress and failure. */
function OlderMessages(
  props: Pick<TranscriptListProps, 'source' | 'sessionId' | 'online'> & {
    readonly older: boolean;
    /** nothing of the session is loaded yet: it is requested at once */
    readonly empty: boolean;
    readonly scroller: RefObject<HTMLElement | null>;
  },
) {
  const { source, sessionId, older, empty, online, scroller } = props;
  const [state, setState] = useState<'rest' | 'loading' | { readonly fault: string }>('rest');
  // A transcript that is still empty after an answer has no messages; asking again would loop.
  const [asked, setAsked] = useState(false);
  const wants = online && (older || (empty && !asked)) && state === 'rest';
  const load = () => {
    setState('loading');
    setAsked(true);
    source.loadOlder(sessionId).then(
      () => setState('rest'),
      (error: unknown) => setState({ fault: error instanceof Error ? faultText(error) : '' }),
    );
  };
  useLayoutEffect(() => {
    setState('rest');
    setAsked(false);
  }, [sessionId, online]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!wants || element === null) return undefined;
    const look = () => {
      if (element.clientHeight > 0 && (empty || element.scrollTop < NEAR_TOP)) load();
    };
    element.addEventListener('scroll', look, { passive: true });
    look();
    return () => element.removeEventListener('scroll', look);
  }, [wants, empty, sessionId]);
  if (state === 'loading') {
    const words = t(empty ? 'conversation.openingSession' : 'conversation.loadingOlderMessages');
    return (
      <p class="atb-talk-note" role="status">
        {words}
      </p>
    );
  }
  if (typeof state === 'object') {
    return (
      <p class="atb-talk-note">
        {t(empty ? 'conversation.sessionNotOpened' : 'conversation.olderMessagesWereNotLoaded')}{' '}
        {state.fault} <Button kind="quiet" words={t('common.tryAgain')} onClick={load} />
      </p>
    );
  }
  return older && !online ? <p class="atb-talk-note">{t('conversation.olderWhenBack')}</p> : null;
}

/** Shown while the view is scrolled away from the end; says when something new arrived there. */
function NewTextBelow(props: { readonly transcript: Transcript; readonly onGo: () => void }) {
  const newest = props.transcript.blocks.at(-1);
  const lastSeen = useRef(newest);
  const words =
    newest === lastSeen.current ? t('conversation.goToTheEnd') : t('conversation.newTextBelow');
  return (
    <button type="button" class="atb-talk-pill" onClick={props.onGo}>
      <Icon name="arrow-down" />
      {words}
    </button>
  );
}

/** Keyboard focus in the list: the one block that Tab reaches, and a function to focus a block. */
function useBlockFocus(
  items: readonly TranscriptItem[],
  list: RefObject<HTMLElement | null>,
  { isOpen, toggle }: ReturnType<typeof useFolds>,
) {
  const [at, setAt] = useState<string | undefined>();
  const wanted = useRef<string | undefined>(undefined);
  const redraw = useRedraw();
  const tabStop = items.some(({ key }) => key === at) ? at : items.at(-1)?.key;
  useLayoutEffect(() => {
    const focused = (event: FocusEvent) => {
      const block = targetElement(event.target)?.closest('[data-block]');
      const key = block?.getAttribute('data-block');
      if (typeof key === 'string') setAt(key);
    };
    const element = list.current;
    element?.addEventListener('focusin', focused);
    return () => element?.removeEventListener('focusin', focused);
  }, [list]);
  // The block is drawn by now, since the block that Tab reaches always is.
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    const blocks = list.current?.querySelectorAll<HTMLElement>('[data-block]') ?? [];
    [...blocks].find((one) => one.dataset['block'] === wanted.current)?.focus();
    wanted.current = undefined;
  });
  const focusBlock = (key: string | undefined) => {
    if (key === undefined) return;
    wanted.current = key;
    setAt(key);
    redraw();
  };
  /** Arrow keys move between blocks and unfold; inside a block, keys keep their usual meaning. */
  const onKey = (event: KeyboardEvent) => {
    const { key, target } = event;
    const onBlock = targetElement(target)?.dataset['block'] !== undefined;
    if (!onBlock || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const place = items.findIndex((one) => one.key === tabStop);
    const item = items[place];
    if (item === undefined) return;
    const to = listIndexForKey(key, place, items.length);
    const can = canUnfold(item.block);
    if (to !== undefined) focusBlock(items[to]?.key);
    else if (key === 'ArrowRight' || key === 'ArrowLeft') {
      if (can && isOpen(item) !== (key === 'ArrowRight')) toggle(item.key);
    } else if (can && (key === 'Enter' || key === ' ')) toggle(item.key);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { stop: tabStop, go: focusBlock, onKey };
}
