import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { CompiledRule } from '../../core/permission/policy';
import { MAX_RULES, type Permissions } from '../../core/permission/permissions';
import type { Rule } from '../../core/permission/rule';
import { shadowedRules } from '../../core/permission/rule-changes';
import { Button, Icon, IconButton } from '../ui/icon';
import { ExternalChangeBanner, FormerBoardFolders } from './external-changes';
import { VERDICT_LABELS, ruleLine, ruleText, type NamedSession } from './rule-text';
import { listIndexForKey } from '../ui/focus';
import { menuEntry, type Anchor } from '../ui/menu';
import { useChanges, useRedraw } from '../ui/use-changes';
import { SaveProblem } from './rule-forms';
import { usePolicyPolling, useSaving, type RulesDeps } from './rules-deps';
import { StoreError } from '../../core/ports';
import { t, translated } from '../language/text';

/** Actions on a row. Rows count from 0, those of the preset first. */
type RuleActions = ReturnType<typeof useRuleActions>['act'];

interface RulesTableProps {
  readonly rules: readonly CompiledRule[];
  /** number of rules from the preset; they come first and can't be changed */
  readonly preset: number;
  readonly editable: boolean;
  readonly sessions: readonly NamedSession[];
  readonly now: number;
  /** why a rule never applies, by its number */
  readonly shadowed: ReadonlyMap<number, string>;
  /** row of the rule that decides the tried request */
  readonly decides: number | undefined;
  readonly act: RuleActions;
}

const ORDER = t('permission.ruleOrder');

const FULL = t('permission.rulesFull', { count: MAX_RULES });

/** All rules, with the actions on them. */
export function RulesPanel({ deps }: { readonly deps: RulesDeps }) {
  const { policy, decidingRow } = deps;
  usePolicyPolling(policy);
  useChanges(decidingRow);
  const draw = useRedraw();
  const { problem, said, removed, act, add } = useRuleActions(deps);
  const now = deps.now();
  useRedrawAtExpiry(policy.permissions.rules, now, draw);
  const shadowed = shadowedRules(policy.policy, now);
  const editable = policy.foreign() === undefined;
  const full = policy.permissions.rules.length >= MAX_RULES;
  const props: RulesTableProps = {
    ...{ now, act, editable },
    rules: policy.policy.rules,
    preset: policy.policy.preset,
    sessions: deps.sessions(),
    shadowed: new Map(shadowed.map(({ rule, message }) => [rule, translated(message)])),
    decides: decidingRow.row,
  };
  return (
    <div class="atb-rules-panel">
      <ExternalChangeBanner policy={policy} sessions={deps.sessions()} />
      <FormerBoardFolders folders={deps.boardFolders} />
      <p class="atb-settings-words">{ORDER}</p>
      {deps.phone ? <RulesList {...props} /> : <RulesTable {...props} />}
      <div class="atb-rules-foot">
        <Button
          icon="plus"
          words={t('permission.addRule')}
          disabled={!editable || full}
          onClick={add}
        />
        <span role="status">{said}</span>
        {removed && <Button kind="quiet" words={t('common.undo')} onClick={act.undo} />}
        {full && <span>{FULL}</span>}
        <SaveProblem words={problem} />
      </div>
    </div>
  );
}

/** Redraws when the next rule expires. */
function useRedrawAtExpiry(rules: readonly Rule[], now: number, draw: () => void): void {
  const next = Math.min(...rules.map(({ until = 0 }) => (until > now ? until : Infinity)));
  useLayoutEffect(() => {
    if (next === Infinity) return undefined;
    const timer = window.setTimeout(draw, Math.min(next - now, MAX_TIMEOUT));
    return () => window.clearTimeout(timer);
  }, [next]);
}

/** Maximum ms of a timer. */
const MAX_TIMEOUT = 2_147_483_647;

function useRuleActions(deps: RulesDeps) {
  const { policy } = deps;
  const [problem, save, forget] = useSaving();
  // An error is outdated once the rules have changed.
  useLayoutEffect(() => policy.onChange(forget), [policy]);
  const [said, setSaid] = useState('');
  const [removed, setRemoved] = useState<RuleSnapshot>();
  const unsaved = useRef<UnsavedRule | undefined>(undefined);
  const change = async (edit: RuleEdit, words: string, undo?: RuleSnapshot): Promise<boolean> => {
    const done = await save(() => policy.edit(edit));
    setSaid(done ? words : '');
    setRemoved(done ? undo : undefined);
    return done;
  };
  const editAndSave = async (
    rule: Rule | undefined,
    put: (value: Rule) => RuleEdit,
    words: string,
  ) => {
    const begin = unsavedFor(unsaved.current, rule, policy.permissions.rules);
    const edited = await deps.editRule(rule, begin);
    if (edited?.kind === 'save') {
      const { value } = edited;
      const done = await change(put(value), words);
      unsaved.current = done ? undefined : { edited: rule && JSON.stringify(rule), value };
    }
    return edited;
  };
  /** From a row of the table (from 0) to the number that the person sees. */
  const numberOf = (row: number): number => row - policy.policy.preset + 1;
  const ruleAt = (row: number): RuleSnapshot | undefined => {
    const at = row - policy.policy.preset;
    const rule = policy.permissions.rules[at];
    return rule === undefined || policy.foreign() !== undefined ? undefined : { at, rule };
  };
  const edit = async (row: number) => {
    const one = ruleAt(row);
    if (one === undefined) return;
    const put = (value: Rule) => replaceRule(one, value);
    const saved = t('permission.ruleSaved', { number: numberOf(row) });
    const edited = await editAndSave(one.rule, put, saved);
    if (edited?.kind === 'remove') act.remove(row);
  };
  const act = {
    edit: (row: number): void => void edit(row),
    remove: (row: number): void => {
      const one = ruleAt(row);
      if (one !== undefined)
        void change(replaceRule(one), t('permission.ruleRemoved', { number: numberOf(row) }), one);
    },
    /** @returns whether the rule was moved */
    move: async (row: number, to: number): Promise<boolean> => {
      const one = ruleAt(row);
      const place = to - policy.policy.preset;
      if (one === undefined || place < 0 || place >= policy.permissions.rules.length) return false;
      return change(
        moveRule(one, place),
        t('permission.ruleMoved', { from: numberOf(row), to: numberOf(to) }),
      );
    },
    menu: (row: number, anchor: Anchor): void => {
      if (ruleAt(row) === undefined) return;
      const lines = [
        menuEntry('pencil', t('permission.editRuleDialog'), () => act.edit(row)),
        menuEntry('arrow-up', t('permission.moveUp'), () => act.move(row, row - 1)),
        menuEntry('arrow-down', t('permission.moveDown'), () => act.move(row, row + 1)),
        menuEntry('trash-2', t('permission.removeRule'), () => act.remove(row)),
      ];
      deps.openMenu(lines, anchor);
    },
    undo: (): void => {
      if (removed === undefined) return;
      void change(insertRule(removed.rule, removed.at), t('permission.theRuleIsBack'));
    },
  };
  const added = t('permission.ruleAdded');
  const add = () => void editAndSave(undefined, (value) => insertRule(value), added);
  return { problem, said, removed: removed !== undefined, act, add };
}

const COLUMN_HEADS = [
  t('permission.ruleHead'),
  t('common.agent'),
  t('common.session'),
  t('permission.action'),
  t('permission.notes'),
  t('common.answer'),
  t('permission.fromHead'),
];

/** The rules in order. One row has the focus; arrow keys move it. */
function RulesTable(props: RulesTableProps) {
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
  // Focuses the next row once a removed rule is no longer drawn.
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
    <table class="atb-rules" role="grid" aria-label={t('permission.rules')} ref={table}>
      <thead>
        <tr>
          {COLUMN_HEADS.map((head) => (
            <th scope="col" key={head}>
              {head}
            </th>
          ))}
          <th>
            <span class="atb-hidden">{t('permission.actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rules.map((ready, row) => (
          <tr
            key={row}
            tabIndex={row === current ? 0 : -1}
            data-rule={ready.number ?? 'preset'}
            class={[
              props.decides === row && 'is-deciding',
              (ready.rule.until ?? Infinity) <= props.now && 'is-over',
              drag.over === row && 'is-drop',
            ]
              .filter((mark) => mark !== false)
              .join(' ')}
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
    readonly ready: CompiledRule;
    readonly row: number;
    readonly grip: object;
  },
) {
  const { ready, row, preset, act } = props;
  const { number, rule } = ready;
  const text = ruleText(rule, props.sessions, props.now, row < preset);
  const shadowed = number === undefined ? undefined : props.shadowed.get(number);
  return (
    <>
      <td class="atb-rule-number">
        {props.decides === row && (
          <>
            <Icon name="arrow-right" />
            <span class="atb-hidden">
              {number === undefined ? t('permission.decidesTry') : t('permission.decidesTryRule')}
            </span>
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
        <Icon name={VERDICT_LABELS[rule.action].icon} />
        {VERDICT_LABELS[rule.action].word}
      </td>
      <td class="atb-rule-from">{text.from}</td>
      <td class="atb-rule-end">
        {row < preset ? (
          <>
            <Icon name="lock" />
            <span class="atb-hidden">{t('permission.comesWithThePreset')}</span>
          </>
        ) : (
          <span {...props.grip}>
            <IconButton
              icon="grip-vertical"
              label={t('permission.actionsOfRule', { number: number ?? '' })}
              disabled={!props.editable}
              onClick={(event) => act.menu(row, event)}
            />
          </span>
        )}
      </td>
    </>
  );
}

interface KeyContext extends RulesTableProps {
  readonly focus: (row: number) => void;
  readonly follow: (row: number) => void;
}

function keyAction(
  event: KeyboardEvent,
  row: number,
  { rules, act, focus, follow }: KeyContext,
): (() => void) | undefined {
  const { key, shiftKey, altKey } = event;
  const move = (to: number) => () => {
    void act.move(row, to).then((moved) => {
      if (moved) focus(to);
    });
  };
  if (altKey && key === 'ArrowUp') return move(row - 1);
  if (altKey) return key === 'ArrowDown' ? move(row + 1) : undefined;
  if ((event.ctrlKey || event.metaKey) && key === 'z') return act.undo;
  const to = listIndexForKey(key, row, rules.length);
  if (to !== undefined) return () => focus(to);
  if (key === 'Enter') return () => act.edit(row);
  if (key === 'Delete' || key === 'Backspace') {
    return () => {
      follow(row);
      act.remove(row);
    };
  }
  if (key !== 'ContextMenu' && !(key === 'F10' && shiftKey)) return undefined;
  return () => act.menu(row, event.currentTarget as HTMLElement);
}

/** The rules on a phone: a tap opens a rule. */
function RulesList(props: RulesTableProps) {
  const { rules, preset, act, decides, sessions, now } = props;
  return (
    <ol class="atb-rule-list" aria-label={t('permission.rules')}>
      {rules.map(({ number, rule }, row) => {
        const text = ruleText(rule, sessions, now, row < preset);
        const shadowed = number === undefined ? undefined : props.shadowed.get(number);
        return (
          <li key={row} class={decides === row ? 'is-deciding' : ''}>
            <button
              type="button"
              class={text.expired ? 'is-over' : ''}
              disabled={row < preset || !props.editable}
              onClick={() => act.edit(row)}
            >
              <span class="atb-rule-number">{number}</span>
              <span class="atb-rule-body">
                <code>{text.notes}</code>
                <span class="atb-rule-line">{ruleLine(text, rule.action)}</span>
                {shadowed !== undefined && <span class="atb-rule-shadowed">{shadowed}</span>}
              </span>
              <Icon name={row < preset ? 'lock' : 'chevron-right'} />
            </button>
          </li>
        );
      })}
    </ol>
  );
}

/**
 * Drag and drop for the person's own rules; `over` is the row before which the rule would be
 * dropped.
 */
function useRuleDrag(preset: number, move: RuleActions['move']) {
  const [from, setFrom] = useState<number>();
  const [over, setOver] = useState<number>();
  const end = () => {
    setFrom(undefined);
    setOver(undefined);
  };
  return {
    over,
    grip: (row: number) => ({
      draggable: true,
      onDragStart: (event: DragEvent) => {
        event.dataTransfer?.setData('text/plain', '');
        setFrom(row);
      },
      onDragEnd: end,
    }),
    target: (row: number) => ({
      onDragOver: (event: DragEvent) => {
        if (from === undefined || row < preset) return;
        event.preventDefault();
        setOver(row);
      },
      onDrop: (event: DragEvent) => {
        if (from === undefined || row < preset) return;
        event.preventDefault();
        end();
        if (row !== from) void move(from, row);
      },
    }),
  };
}

/** The last rule that could not be saved: the form starts with it. */
interface UnsavedRule {
  /** the original rule as JSON; undefined for a new one */
  readonly edited: string | undefined;
  readonly value: Rule;
}

/** @param edited undefined: a new rule, which may also stand for one that was removed meanwhile */
function unsavedFor(
  kept: UnsavedRule | undefined,
  edited: Rule | undefined,
  rules: readonly Rule[],
): Rule | undefined {
  const isEdited = (rule: Rule) => JSON.stringify(rule) === kept?.edited;
  return (edited === undefined ? !rules.some(isEdited) : isEdited(edited))
    ? kept?.value
    : undefined;
}

/** An edit of the permissions, in the form that the policy takes. */
type RuleEdit = (now: Permissions) => Permissions;

/** One of the person's own rules, with the position where they saw it. */
interface RuleSnapshot {
  /** index among their own rules */
  readonly at: number;
  readonly rule: Rule;
}

function insertRule(rule: Rule, at?: number): RuleEdit {
  return (now) => spliceRules(now, at ?? now.rules.length, 0, rule);
}

/** Replaces a rule; without a replacement, removes it. */
function replaceRule(seen: RuleSnapshot, ...by: readonly Rule[]): RuleEdit {
  return (now) => spliceRules(now, indexOfRule(now, seen), 1, ...by);
}

/** Moves a rule to a position among the person's own rules, clamped to their range. */
function moveRule(seen: RuleSnapshot, to: number): RuleEdit {
  return (now) => {
    const at = indexOfRule(now, seen);
    const place = Math.max(0, Math.min(now.rules.length - 1, to));
    if (place === at) return now;
    return spliceRules(spliceRules(now, at, 1), place, 0, now.rules[at] as Rule);
  };
}

function spliceRules(now: Permissions, at: number, remove: number, ...add: readonly Rule[]) {
  return { ...now, rules: now.rules.toSpliced(at, remove, ...add) };
}

/** Position of a rule. Throws unless it is still the one that the person saw. */
function indexOfRule(now: Permissions, { at, rule }: RuleSnapshot): number {
  if (JSON.stringify(now.rules[at]) === JSON.stringify(rule)) return at;
  throw new StoreError('busy', t('permission.rulesChanged'));
}
