import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Button, IconButton } from '../ui/icon';
import { useFocus } from '../ui/focus';
import { useTranscript, type FrameQueue, type TranscriptSource } from './use-transcript';
import { blockKey, type Block } from '../../core/session/transcript/transcript';
import { searchableText } from '../../core/session/store/search-sessions';
import { permissionText } from '../ask/ask-text';
import { describeChange, toolCallWords } from './tool-block';
import { attachmentWords } from './drafts';
import type { RefObject } from 'preact';
import { t } from '../language/text';

/** Finds words in the whole transcript, including parts that are folded or not drawn. */
export function FindBar(props: {
  readonly source: TranscriptSource;
  readonly frames: FrameQueue;
  readonly sessionId: string;
  /** how often the bar was requested; it takes the focus each time */
  readonly requestCount: number;
  /** Called when the words to find changed. */
  readonly onWords: (words: string) => void;
  readonly onFind: (key: string | undefined) => void;
  /** whether older messages can be loaded */
  readonly online: boolean;
  readonly onLoadOlder: () => void;
  readonly onClose: () => void;
}) {
  const { transcript } = useTranscript(props.source, props.sessionId, props.frames, () => true);
  const field = useRef<HTMLInputElement>(null);
  const [words, setWords] = useState('');
  const [at, setAt] = useState(0);
  const keys = useMemo(() => findBlocks(transcript.blocks, words), [transcript, words]);
  useFocus(field, props.requestCount);
  const select = (next: number, among = keys) => {
    const index = among.length === 0 ? 0 : (next + among.length) % among.length;
    setAt(index);
    props.onFind(among[index]);
  };
  const count =
    keys.length === 0
      ? t('conversation.none')
      : t('conversation.matchOf', { place: Math.min(at, keys.length - 1) + 1, all: keys.length });
  return (
    <div class="atb-find" role="search">
      <input
        type="search"
        ref={field}
        value={words}
        placeholder={t('conversation.findInThisConversation')}
        aria-label={t('conversation.findInThisConversation')}
        onInput={(event) => {
          const text = event.currentTarget.value;
          setWords(text);
          props.onWords(text);
          const found = findBlocks(transcript.blocks, text);
          select(found.length - 1, found);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') select(at + (event.shiftKey ? -1 : 1));
          else if (event.key === 'Escape') props.onClose();
          else return;
          event.preventDefault();
        }}
      />
      <span class="atb-find-count" role="status">
        {words === '' ? '' : count}
      </span>
      <IconButton
        icon="arrow-up"
        label={t('conversation.earlierMatch')}
        onClick={() => select(at - 1)}
      />
      <IconButton
        icon="arrow-down"
        label={t('conversation.laterMatch')}
        onClick={() => select(at + 1)}
      />
      {transcript.older && props.online && (
        <Button
          kind="quiet"
          words={t('conversation.loadOlderMessages')}
          onClick={props.onLoadOlder}
        />
      )}
      <IconButton icon="x" label={t('common.close')} onClick={props.onClose} />
    </div>
  );
}

/** Keys of the blocks that contain the words in any case, oldest first; no words: none. */
export function findBlocks(blocks: readonly Block[], words: string): readonly string[] {
  const wanted = words.trim().toLowerCase();
  if (wanted === '') return [];
  return blocks
    .filter((block) => blockText(block).toLowerCase().includes(wanted))
    .map((block) => blockKey(block));
}

/** All text of a block, including folded parts. */
function blockText(block: Block): string {
  if (block.kind === 'prompt') {
    return [block.text, ...(block.attached ?? []).map(attachmentWords)].join('\n');
  }
  if (block.kind === 'tool') {
    const { name, object } = toolCallWords(block);
    const { input, output, error, refusals } = block;
    return [name, object, input, output, error, refusals?.reason].join('\n');
  }
  if (block.kind === 'board') {
    return block.changes.map((change) => `${change.title} ${describeChange(change)}`).join('\n');
  }
  if (block.kind === 'permission') {
    const { question, objects } = permissionText(block.request);
    return [question, ...objects].join('\n');
  }
  if (block.kind !== 'question') return searchableText(block);
  const asked = block.request.questions.map(({ question }) => question);
  return [...asked, ...(block.answers ?? []).flat()].join('\n');
}

/** Name of the CSS highlight; all conversations of a window share it. */
const HIGHLIGHT_NAME = 'atb-find';

/**
 * Highlights the words to find in the drawn part of a transcript, after each drawing. Adds no
 * elements, so finished paragraphs keep theirs. In a browser without CSS highlights it does
 * nothing.
 */
export function useHighlights(list: RefObject<HTMLElement | null>, words: string): void {
  const wanted = lowerCaseSameLength(words.trim());
  useLayoutEffect(() => {
    const view = list.current?.ownerDocument.defaultView;
    const css: Partial<typeof CSS> | undefined = view?.CSS;
    const highlights = css?.highlights;
    if (list.current === null || !view || highlights === undefined || wanted === '')
      return undefined;
    const marks = highlights.get(HIGHLIGHT_NAME) ?? new view.Highlight();
    highlights.set(HIGHLIGHT_NAME, marks);
    const own = [...list.current.children].flatMap((block) => findRanges(block, wanted));
    for (const range of own) marks.add(range);
    return () => {
      for (const range of own) marks.delete(range);
    };
  });
}

/** Ranges of the words in an element's text, across the borders of inner elements. */
function findRanges(element: Element, wanted: string): readonly Range[] {
  const { ownerDocument } = element;
  const walker = ownerDocument.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes: { readonly node: Node; readonly from: number }[] = [];
  let text = '';
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    nodes.push({ node, from: text.length });
    text += node.nodeValue ?? '';
  }
  const setBoundary = (range: Range, end: 'setStart' | 'setEnd', at: number): void => {
    const found = nodes.findLast(({ from }) => (end === 'setStart' ? from <= at : from < at));
    if (found !== undefined) range[end](found.node, at - found.from);
  };
  const ranges: Range[] = [];
  const within = lowerCaseSameLength(text);
  for (let at = within.indexOf(wanted); at >= 0; at = within.indexOf(wanted, at + wanted.length)) {
    const range = ownerDocument.createRange();
    setBoundary(range, 'setStart', at);
    setBoundary(range, 'setEnd', at + wanted.length);
    ranges.push(range);
  }
  return ranges;
}

/** Lower-cases a text without moving any character: a few letters have a longer lower case. */
function lowerCaseSameLength(text: string): string {
  const low = text.toLowerCase();
  if (low.length === text.length) return low;
  return text.replace(/[^]/gu, (one) => {
    const lower = one.toLowerCase();
    return lower.length === one.length ? lower : one;
  });
}
