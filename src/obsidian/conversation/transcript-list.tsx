import type { ComponentChildren, Ref } from 'preact';
import { useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Transcript } from '../../core/session/transcript/transcript';
import { useName } from '../part/use-name';
import { BlockView, type BlockMeans } from './block-view';
import { listKey } from './list-key';
import { NewTextBelow } from './new-text-below';
import { OlderLine } from './older-line';
import { openAtFirst, talkItems, type TalkItem } from './talk-items';
import type { DrawnItems } from './transcript-window';
import { useBlockFocus } from './use-block-focus';
import { useTranscript, type Frames, type TranscriptSource } from './use-transcript';
import { useWindow } from './use-window';

/** What others may want of the list. */
export interface ListHandle {
  /** The block that the person was at, else the newest, gets the keyboard. */
  focus(): void;
  /** Shows a block, and marks it as what was found; undefined: nothing is. */
  find(key: string | undefined): void;
  toEnd(): void;
}

export interface TranscriptListProps {
  readonly source: TranscriptSource;
  readonly frames: Frames;
  readonly sessionId: string;
  /** accessible name */
  readonly name: string;
  readonly agent: string;
  /** ids of requests that wait for the person */
  readonly pending: ReadonlySet<string>;
  readonly online: boolean;
  readonly means: Omit<BlockMeans, 'toggle'>;
  readonly handle: Ref<ListHandle>;
  readonly onTranscript: (transcript: Transcript) => void;
}

/** All that was said and done in a session; only what is near is drawn. */
export function TranscriptList(props: TranscriptListProps) {
  const { pending, agent } = props;
  const { place, following, scroller, list, onShown } = useWindow();
  const { transcript, look } = useTranscript(
    props.source,
    props.sessionId,
    props.frames,
    () => place.shown,
  );
  onShown.current = look;
  const items = useItems(transcript);
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const [found, setFound] = useState<string | undefined>();
  useLayoutEffect(() => props.onTranscript(transcript), [transcript]);
  const toggle = useMemo(() => (key: string) => setTurned((now) => flipped(now, key)), []);
  const means = useMemo(() => ({ ...props.means, toggle }), [props.means]);
  const { stop, go } = useBlockFocus(items, list);
  const isOpen = ({ key, block }: TalkItem) => turned.has(key) !== openAtFirst(block);
  useImperativeHandle(props.handle, () => ({
    focus: () => go(stop),
    find: (key) => {
      setFound(key);
      const item = items.find((one) => one.key === key);
      if (item === undefined) return;
      if (!isOpen(item)) toggle(item.key);
      place.goTo(item.key);
    },
    toEnd: () => place.goToEnd(),
  }));
  const draw = (item: TalkItem, index: number) => (
    <div
      key={item.key}
      class="atb-talk-block"
      data-block={item.key}
      data-kind={item.block.kind}
      data-found={item.key === found}
      tabIndex={item.key === stop ? 0 : -1}
    >
      <BlockView
        block={item.block}
        id={item.key}
        open={isOpen(item)}
        by={item.speaks ? agent : null}
        pending={'request' in item.block && pending.has(item.block.request.requestId)}
        last={index === items.length - 1}
        means={means}
      />
    </div>
  );
  const [named, name] = useName(props.name);
  const kept = items.findIndex(({ key }) => key === stop);
  return (
    <div class="atb-talk">
      {name}
      <div class="atb-talk-scroll" ref={scroller}>
        <OlderLine
          {...props}
          older={transcript.older}
          empty={items.length === 0}
          scroller={scroller}
        />
        <div
          class="atb-talk-list"
          role="log"
          aria-live="off"
          {...named}
          ref={list}
          onKeyDown={(event) => listKey(event, { items, stop, isOpen, go, toggle })}
        >
          {items.length === 0 && <p class="atb-talk-empty">{EMPTY}</p>}
          {withGaps(place.drawn(items, kept), items, draw)}
        </div>
      </div>
      {!following && <NewTextBelow transcript={transcript} onGo={() => place.goToEnd()} />}
    </div>
  );
}

const EMPTY = 'Say what you want done. Ask the agent to plan first, so that you can follow along.';

function useItems(transcript: Transcript): readonly TalkItem[] {
  const before = useRef<readonly TalkItem[]>([]);
  return useMemo(
    () => (before.current = talkItems(transcript.blocks, before.current)),
    [transcript],
  );
}

/** What is drawn, and empty places as high as what is not. */
function withGaps(
  { runs, rest }: DrawnItems,
  items: readonly TalkItem[],
  draw: (item: TalkItem, index: number) => ComponentChildren,
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

function flipped(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(keys);
  if (!next.delete(key)) next.add(key);
  return next;
}
