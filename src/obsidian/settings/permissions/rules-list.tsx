import { Icon } from '../../part/icon';
import type { RulesTableProps } from './rules-panel';
import { ruleLine, ruleText } from './rule-text';

/** The rules on a phone: a tap opens one. */
export function RulesList(props: RulesTableProps) {
  const { rules, preset, act, decides, sessions, now } = props;
  return (
    <ol class="atb-rule-list" aria-label="Rules">
      {rules.map(({ number, rule }, row) => {
        const text = ruleText(rule, sessions, now, row < preset);
        const shadowed = props.shadowed.get(number);
        return (
          <li key={row} class={decides === number ? 'is-deciding' : ''}>
            <button
              type="button"
              class={text.over ? 'is-over' : ''}
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
