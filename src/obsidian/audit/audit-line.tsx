import type { ComponentChildren } from 'preact';
import type { Ending } from '../../core/permission/audit/audit-filter';
import type { AuditRow } from '../../core/permission/audit/audit-row';
import { visibleText } from '../../core/permission/audit/visible-text';
import { Icon } from '../part/icon';
import type { AuditItem } from './audit-items';
import { dayWords, monthWords, timeOfDay } from './audit-times';
import {
  damageWords,
  ENDINGS,
  objectWord,
  rowSentence,
  sessionWord,
  toolWord,
  whyWord,
  type Names,
} from './audit-words';

export interface LineProps {
  readonly item: AuditItem;
  /** px from the first line */
  readonly top: number;
  /** of the table, from 1; the head is the first */
  readonly rowIndex: number;
  readonly now: number;
  readonly names: Names;
  readonly endingOf: (row: AuditRow) => Ending;
  /** the row that the Tab key comes to */
  readonly stop: boolean;
  /** its detail is shown */
  readonly shown: boolean;
  /** an older month is on its way */
  readonly loading: boolean;
  /** in two lines, for want of room */
  readonly narrow: boolean;
  readonly onOpen: (row: AuditRow) => void;
  readonly onLoad: (month: string) => void;
}

interface Place {
  readonly style: { readonly insetBlockStart: string };
  readonly role: 'row';
  readonly 'aria-rowindex': number;
}

/** One line of the list. */
export function AuditLine(props: LineProps) {
  const { item, top, rowIndex } = props;
  const place: Place = {
    style: { insetBlockStart: `${top}px` },
    role: 'row',
    'aria-rowindex': rowIndex,
  };
  if (item.kind === 'row') return <EntryLine {...props} row={item.row} place={place} />;
  if (item.kind === 'day') {
    return (
      <div class="atb-audit-line is-day" {...place}>
        <span role="cell">{dayWords(item.at, props.now)}</span>
      </div>
    );
  }
  const month = monthWords(item.month, props.now);
  return (
    <div class="atb-audit-line is-more" {...place}>
      <span role="cell">
        <button
          type="button"
          class="atb-button"
          disabled={props.loading}
          onClick={() => props.onLoad(item.month)}
        >
          {props.loading ? `Loading ${month}…` : `Load ${month}`}
        </button>
      </span>
    </div>
  );
}

function EntryLine(props: LineProps & { readonly row: AuditRow; readonly place: Place }) {
  const { row, place, stop, shown, item } = props;
  const ending = props.endingOf(row);
  const time = timeOfDay(row.at);
  const id = `atb-audit-${row.key}`;
  return (
    <div
      class="atb-audit-line"
      {...place}
      data-key={item.key}
      data-ending={ending}
      tabIndex={stop ? 0 : -1}
      aria-labelledby={id}
      aria-current={shown ? 'true' : undefined}
      onClick={() => props.onOpen(row)}
    >
      <span hidden id={id}>
        {rowSentence(row, ending, time.slice(0, 5))}
      </span>
      {props.narrow ? (
        <TwoLines row={row} ending={ending} time={time} names={props.names} />
      ) : (
        <Columns row={row} ending={ending} time={time} names={props.names} />
      )}
    </div>
  );
}

interface CellsProps {
  readonly row: AuditRow;
  readonly ending: Ending;
  readonly time: string;
  readonly names: Names;
}

function Columns({ row, ending, time, names }: CellsProps) {
  return (
    <>
      <Cell is="time">{time}</Cell>
      {row.kind === 'call' ? (
        <>
          <Cell is="agent">{visibleText(row.intent.agent)}</Cell>
          <Cell is="session">{sessionWord(row.intent, names)}</Cell>
          <Cell is="tool">{toolWord(row.intent.tool)}</Cell>
          <Cell is="object">{objectWord(row)}</Cell>
        </>
      ) : (
        <Cell is="damage">{damageWords(row)}</Cell>
      )}
      <EndingCell ending={ending} />
      <Cell is="why">{row.kind === 'call' && whyWord(row)}</Cell>
    </>
  );
}

function TwoLines({ row, ending, time, names }: CellsProps) {
  return (
    <>
      <div role="none" class="atb-audit-pair">
        {row.kind === 'call' ? (
          <>
            <Cell is="tool">{toolWord(row.intent.tool)}</Cell>
            <Cell is="object">{objectWord(row)}</Cell>
          </>
        ) : (
          <Cell is="damage">{damageWords(row)}</Cell>
        )}
        <Cell is="time">{time}</Cell>
      </div>
      <div role="none" class="atb-audit-pair">
        <EndingCell ending={ending} />
        {row.kind === 'call' && (
          <>
            <Cell is="agent">{visibleText(row.intent.agent)}</Cell>
            <Cell is="session">{sessionWord(row.intent, names)}</Cell>
            <Cell is="why">{whyWord(row)}</Cell>
          </>
        )}
      </div>
    </>
  );
}

function EndingCell({ ending }: { readonly ending: Ending }) {
  const { icon, word } = ENDINGS[ending];
  return (
    <Cell is="ending">
      <Icon name={icon} />
      {word}
    </Cell>
  );
}

/** The column of the head that a cell belongs to, from 1; in two lines they stand in another order. */
const COLUMN_OF = {
  time: 1,
  agent: 2,
  damage: 2,
  session: 3,
  tool: 4,
  object: 5,
  ending: 6,
  why: 7,
} as const;

function Cell(props: {
  readonly is: keyof typeof COLUMN_OF;
  readonly children: ComponentChildren;
}) {
  return (
    <span role="cell" aria-colindex={COLUMN_OF[props.is]} class={`atb-audit-${props.is}`}>
      {props.children}
    </span>
  );
}
