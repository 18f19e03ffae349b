import { count } from '../../core/orchestrator/counts';
import { useMemo, useState } from 'preact/hooks';
import type { Board } from '../../core/board/task';
import type { RunView } from '../../core/orchestrator/runs';
import { Icon } from '../part/icon';
import type { Deed } from './deed';
import { entryDeed } from './entry-deed';
import { RunRow } from './roving';
import { runOf } from './run-of';
import { dayOf, timeOf } from './run-times';
import { Section, ShowMore } from './section';
import { entryWords, type EntryWords } from './timeline-words';

const MOST = 60;

interface Item {
  readonly key: string;
  readonly at: number;
  readonly words: EntryWords;
  readonly deed: Deed | undefined;
}

/** What happened, newest first. Entries lead to what they tell of. */
export function TimelineSection(props: {
  readonly view: RunView;
  readonly board: Board | undefined;
  readonly now: number;
  readonly onDo: (deed: Deed) => void;
}) {
  const { view, board, now, onDo } = props;
  const [all, setAll] = useState(false);
  const items = useMemo(() => itemsOf(view, board), [view, board]);
  const [newest] = items;
  if (newest === undefined) return null;
  const shown = all ? items : items.slice(0, MOST);
  const left = items.length - shown.length;
  return (
    <Section name="Timeline" aside={dayOf(newest.at, now)}>
      <ol class="atb-run-timeline">
        {shown.map((item, at) => (
          <li key={item.key}>
            {isNewDay(shown[at - 1], item, now) && (
              <div class="atb-run-day">{dayOf(item.at, now)}</div>
            )}
            <Entry item={item} onDo={onDo} />
          </li>
        ))}
      </ol>
      {left > 0 && <ShowMore words={`Show ${count(left)} older`} onClick={() => setAll(true)} />}
    </Section>
  );
}

function itemsOf(view: RunView, board: Board | undefined): readonly Item[] {
  const timeline = runOf(view)?.timeline ?? [];
  return timeline
    .map((entry, at) => {
      const key = `${entry.at} ${entry.kind} ${entry.task ?? ''} ${timeline.length - at}`;
      return { key, at: entry.at, words: entryWords(entry), deed: entryDeed(entry, view, board) };
    })
    .reverse();
}

function isNewDay(before: Item | undefined, { at }: Item, now: number): boolean {
  return before !== undefined && dayOf(before.at, now) !== dayOf(at, now);
}

function Entry({ item, onDo }: { readonly item: Item; readonly onDo: (deed: Deed) => void }) {
  const { deed, words } = item;
  const content = (
    <>
      <time class="atb-run-time" dateTime={new Date(item.at).toISOString()}>
        {timeOf(item.at)}
      </time>
      <span class="atb-run-icon" data-tone={words.tone}>
        <Icon name={words.icon} />
      </span>
      <span class="atb-run-body">
        <span class="atb-title">{words.title}</span>
        {words.text !== '' && <span class="atb-run-text">{words.text}</span>}
      </span>
    </>
  );
  if (deed === undefined) return <div class="atb-run-entry">{content}</div>;
  return (
    <RunRow id={`entry ${item.key}`} class="atb-run-entry" onClick={() => onDo(deed)}>
      {content}
    </RunRow>
  );
}
