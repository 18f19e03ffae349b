import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ReadyRule } from '../../../core/permission/policy';
import { Icon, IconButton } from '../../part/icon';
import type { RulesTableProps } from './rules-panel';
import { ANSWER_ICONS, ANSWER_WORDS, ruleText } from './rule-text';
import { useRuleDrag } from './use-rule-drag';

const HEADS = ['Rule', 'Agent', 'Session', 'Action', 'Notes', 'Answer', 'From'];

/** The rules in their order; a row has the focus, the arrows move it. */
export function RulesTable(props: RulesTableProps) {
  const { rules, preset, act } = props;
  const [at, setAt] = useState(0);
  const table = useRef<HTMLTableElement>(null);
  const drag = useRuleDrag(preset, act.move);
  const current = Math.min(at, rules.length - 1);
  const focus = (row: number) => {
    const place = Math.max(0, Math.min(rules.length - 1, row));
    setAt(place);
    table.current?.querySelectorAll<HTMLElement>('tbody > tr')[place]?.focus();
  };
  // A rule that went leaves the focus to the next, once it is drawn without it.
  const follow = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    if (follow.current === undefined) return;
    focus(follow.current);
    follow.current = undefined;
  });
  const onKey = (event: KeyboardEvent, row: number) => {
    if (event.target !== event.currentTarget) return;
    const run = keyAction(event, row, { ...props, focus, follow: (to) => (follow.current = to) });
    if (run === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    run();
  };
  return (
    <table class="atb-rules" role="grid" aria-label="Rules" ref={table}>
      <thead>
        <tr>
          {HEADS.map((head) => (
            <th scope="col" key={head}>
              {head}
            </th>
          ))}
          <th>
            <span class="atb-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rules.map((ready, row) => (
          <tr
            key={row}
            tabIndex={row === current ? 0 : -1}
            data-rule={ready.number}
            class={rowClass(props, ready, drag.over)}
            aria-keyshortcuts={row < preset ? undefined : 'Enter Delete Alt+ArrowUp Alt+ArrowDown'}
            onFocus={() => setAt(row)}
            onKeyDown={(event) => onKey(event, row)}
            onDblClick={() => act.edit(row)}
            onContextMenu={(event) => {
              event.preventDefault();
              act.menu(row, event);
            }}
            {...drag.target(row)}
          >
            <Cells {...props} ready={ready} row={row} grip={drag.grip(row)} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cells(
  props: RulesTableProps & {
    readonly ready: ReadyRule;
    readonly row: number;
    readonly grip: object;
  },
) {
  const { ready, row, preset, act } = props;
  const { number, rule } = ready;
  const text = ruleText(rule, props.sessions, props.now, row < preset);
  const shadowed = props.shadowed.get(number);
  return (
    <>
      <td class="atb-rule-number">
        {props.decides === number && (
          <>
            <Icon name="arrow-right" />
            <span class="atb-hidden">Decides what you try: rule</span>
          </>
        )}
        {number}
      </td>
      <td>{text.agent}</td>
      <td>{text.session}</td>
      <td>{text.action}</td>
      <td class="atb-rule-notes">
        <code>{text.notes}</code>
        {shadowed !== undefined && <span class="atb-rule-shadowed">{shadowed}</span>}
      </td>
      <td class="atb-rule-answer">
        <Icon name={ANSWER_ICONS[rule.action]} />
        {ANSWER_WORDS[rule.action]}
      </td>
      <td class="atb-rule-from">{text.from}</td>
      <td class="atb-rule-end">
        {row < preset ? (
          <>
            <Icon name="lock" />
            <span class="atb-hidden">Comes with the preset</span>
          </>
        ) : (
          <span {...props.grip}>
            <IconButton
              icon="grip-vertical"
              label={`Actions of rule ${number}`}
              disabled={!props.editable}
              onClick={(event) => act.menu(row, event)}
            />
          </span>
        )}
      </td>
    </>
  );
}

function rowClass(
  { now, decides }: RulesTableProps,
  { number, rule }: ReadyRule,
  over: number | undefined,
): string {
  const marks = [
    decides === number && 'is-deciding',
    rule.until !== undefined && rule.until <= now && 'is-over',
    over === number - 1 && 'is-drop',
  ];
  return marks.filter((mark) => mark !== false).join(' ');
}

interface KeyActs extends RulesTableProps {
  readonly focus: (row: number) => void;
  readonly follow: (row: number) => void;
}

function keyAction(
  event: KeyboardEvent,
  row: number,
  { rules, act, focus, follow }: KeyActs,
): (() => void) | undefined {
  const move = (to: number) => () => {
    void act.move(row, to).then((moved) => {
      if (moved) focus(to);
    });
  };
  if (event.altKey) {
    if (event.key === 'ArrowUp') return move(row - 1);
    return event.key === 'ArrowDown' ? move(row + 1) : undefined;
  }
  if ((event.ctrlKey || event.metaKey) && event.key === 'z') return act.undo;
  switch (event.key) {
    case 'ArrowUp':
      return () => focus(row - 1);
    case 'ArrowDown':
      return () => focus(row + 1);
    case 'Home':
      return () => focus(0);
    case 'End':
      return () => focus(rules.length - 1);
    case 'Enter':
      return () => act.edit(row);
    case 'Delete':
    case 'Backspace':
      return () => {
        follow(row);
        act.remove(row);
      };
    case 'ContextMenu':
      return () => act.menu(row, event.currentTarget as HTMLElement);
    case 'F10':
      return event.shiftKey ? () => act.menu(row, event.currentTarget as HTMLElement) : undefined;
    default:
      return undefined;
  }
}
