import { useLayoutEffect, useState } from 'preact/hooks';
import type { ReadyRule } from '../../../core/permission/policy';
import { MAX_RULES } from '../../../core/permission/permissions';
import type { Rule } from '../../../core/permission/rule';
import { shadowedRules } from '../../../core/permission/shadowed-rules';
import { Icon } from '../../part/icon';
import { ForeignBanner } from './foreign-banner';
import { LeftBoards } from './left-boards';
import { movedRule, replacedRule, withoutRule, withRule, type Edit } from './rule-edits';
import type { SeenRule } from './rule-edits';
import type { NamedSession } from './rule-text';
import type { RulesDeps } from './rules-deps';
import { RulesList } from './rules-list';
import { RulesTable } from './rules-table';
import { useFreshPolicy } from './use-policy';
import { useSaving } from './use-saving';
import { useUnsavedRule } from './use-unsaved-rule';

/** What can be done with a row, counted from 0, those of the preset first. */
export interface RuleActs {
  readonly edit: (row: number) => void;
  readonly remove: (row: number) => void;
  /** @returns whether it is there now */
  readonly move: (row: number, to: number) => Promise<boolean>;
  readonly menu: (row: number, anchor: MouseEvent | HTMLElement) => void;
  readonly undo: () => void;
}

export interface RulesTableProps {
  readonly rules: readonly ReadyRule[];
  /** how many come with the preset; they stand first and stay as they are */
  readonly preset: number;
  readonly editable: boolean;
  readonly sessions: readonly NamedSession[];
  readonly now: number;
  /** why a rule never applies, by its number */
  readonly shadowed: ReadonlyMap<number, string>;
  /** the rule that decides what is tried */
  readonly decides: number | undefined;
  readonly act: RuleActs;
}

const ORDER =
  'The last matching rule decides; with no match you are asked. Settings, boards and the audit are always protected.';

const FULL = `There are ${MAX_RULES} rules, and no more can be added. Remove one first.`;

/** All rules, with what changes them. */
export function RulesPanel({ deps }: { readonly deps: RulesDeps }) {
  const { policy, mark } = deps;
  useFreshPolicy(policy);
  const [, draw] = useState(0);
  useLayoutEffect(() => mark.onChange(() => draw((count) => count + 1)), [mark]);
  const { problem, said, removed, act, add } = useRuleActs(deps);
  const now = deps.now();
  useNextEnd(policy.permissions.rules, now, () => draw((count) => count + 1));
  const shadowed = shadowedRules(policy.policy, now);
  const editable = policy.foreign() === undefined;
  const full = policy.permissions.rules.length >= MAX_RULES;
  const props: RulesTableProps = {
    ...{ now, act, editable },
    rules: policy.policy.rules,
    preset: policy.policy.preset,
    sessions: deps.sessions(),
    shadowed: new Map(shadowed.map(({ rule, message }) => [rule, message])),
    decides: mark.number,
  };
  return (
    <div class="atb-rules-panel">
      <ForeignBanner policy={policy} sessions={deps.sessions()} />
      <LeftBoards folders={deps.boardFolders} />
      <p class="atb-settings-words">{ORDER}</p>
      {deps.phone ? <RulesList {...props} /> : <RulesTable {...props} />}
      <div class="atb-rules-foot">
        <button type="button" class="atb-button" disabled={!editable || full} onClick={add}>
          <Icon name="plus" />
          Add rule
        </button>
        <span role="status">{said}</span>
        {removed && (
          <button type="button" class="atb-button-quiet" onClick={act.undo}>
            Undo
          </button>
        )}
        {full && <span>{FULL}</span>}
        {problem !== '' && (
          <p class="atb-settings-problem" role="alert">
            {problem}
          </p>
        )}
      </div>
    </div>
  );
}

/** Draws again when the next rule is over. */
function useNextEnd(rules: readonly Rule[], now: number, draw: () => void): void {
  const next = Math.min(...rules.map(({ until = 0 }) => (until > now ? until : Infinity)));
  useLayoutEffect(() => {
    if (next === Infinity) return undefined;
    const timer = window.setTimeout(draw, Math.min(next - now, LONGEST_WAIT));
    return () => window.clearTimeout(timer);
  }, [next]);
}

/** ms that a timer takes at most. */
const LONGEST_WAIT = 2_147_483_647;

function useRuleActs(deps: RulesDeps): {
  readonly problem: string;
  readonly said: string;
  readonly removed: boolean;
  readonly act: RuleActs;
  readonly add: () => void;
} {
  const { policy } = deps;
  const [problem, save, forget] = useSaving();
  // What was refused is no news once the rules are others.
  useLayoutEffect(() => policy.onChange(forget), [policy]);
  const [said, setSaid] = useState('');
  const [removed, setRemoved] = useState<SeenRule>();
  const change = async (edit: Edit, words: string, undo?: SeenRule): Promise<boolean> => {
    const done = await save(() => policy.edit(edit));
    setSaid(done ? words : '');
    setRemoved(done ? undo : undefined);
    return done;
  };
  const unsaved = useUnsavedRule();
  const ask = (rule: Rule | undefined) =>
    deps.editRule(rule, unsaved.for(rule, policy.permissions.rules));
  const keep = async (rule: Rule | undefined, value: Rule, edit: Edit, words: string) => {
    if (await change(edit, words)) unsaved.forget();
    else unsaved.keep(rule, value);
  };
  const seen = (row: number): SeenRule | undefined => {
    const at = row - policy.policy.preset;
    const rule = policy.permissions.rules[at];
    return rule === undefined || policy.foreign() !== undefined ? undefined : { at, rule };
  };
  const edit = async (row: number) => {
    const one = seen(row);
    if (one === undefined) return;
    const edited = await ask(one.rule);
    if (edited?.kind === 'save') {
      await keep(
        one.rule,
        edited.value,
        replacedRule(one, edited.value),
        `Rule ${row + 1} is saved.`,
      );
    } else if (edited?.kind === 'remove') act.remove(row);
  };
  const act: RuleActs = {
    edit: (row) => void edit(row),
    remove: (row) => {
      const one = seen(row);
      if (one !== undefined) void change(withoutRule(one), `Rule ${row + 1} is removed.`, one);
    },
    move: async (row, to) => {
      const one = seen(row);
      const place = to - policy.policy.preset;
      if (one === undefined || place < 0 || place >= policy.permissions.rules.length) return false;
      return change(movedRule(one, place), `Rule ${row + 1} is rule ${to + 1} now.`);
    },
    menu: (row, anchor) => {
      if (seen(row) === undefined) return;
      const choices = [
        { title: 'Edit rule…', icon: 'pencil', run: () => act.edit(row) },
        { title: 'Move up', icon: 'arrow-up', run: () => void act.move(row, row - 1) },
        { title: 'Move down', icon: 'arrow-down', run: () => void act.move(row, row + 1) },
        { title: 'Remove rule', icon: 'trash-2', run: () => act.remove(row) },
      ];
      deps.openMenu(choices, anchor);
    },
    undo: () => {
      if (removed === undefined) return;
      void change(withRule(removed.rule, removed.at), 'The rule is back.');
    },
  };
  const add = async () => {
    const edited = await ask(undefined);
    if (edited?.kind !== 'save') return;
    const words = 'The rule is added at the end, where it decides.';
    await keep(undefined, edited.value, withRule(edited.value), words);
  };
  return { problem, said, removed: removed !== undefined, act, add: () => void add() };
}
