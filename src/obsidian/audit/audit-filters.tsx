import type { Ref } from 'preact';
import type {
  AuditFilter,
  AuditStatus,
  FilterChoices,
  TaskChoice,
} from '../../core/permission/audit/audit-rows';
import { visibleText } from '../../core/permission/audit/redact';
import { SearchField, Select, type SelectOptions } from '../ui/fields';
import { ENDINGS, toolWord } from './audit-words';
import { t } from '../language/text';

interface FiltersProps {
  readonly filter: AuditFilter;
  readonly choices: FilterChoices;
  readonly sessionName: (id: string) => string;
  readonly taskName: (choice: TaskChoice) => string;
  /** "12 of 1,284" */
  readonly count: string | undefined;
  readonly field: Ref<HTMLInputElement>;
  readonly onFilter: (filter: AuditFilter) => void;
  /** called on Esc in an empty field, and on Arrow down */
  readonly onLeave: () => void;
}

export const OUTCOMES = Object.keys(ENDINGS) as AuditStatus[];

/** The filter controls above the list. */
export function AuditFilters(props: FiltersProps) {
  const { filter, choices, onFilter } = props;
  const { sessions, agents, tools } = choices;
  // Tasks of the chosen session, if one is chosen.
  const tasks = choices.tasks.filter(
    ({ sessionId }) => filter.session === undefined || sessionId === filter.session,
  );
  const choose = (part: Partial<Record<keyof AuditFilter, string>>): void => {
    const kept = Object.entries({ ...filter, ...part }).filter(([, value]) => value !== '');
    onFilter(Object.fromEntries(kept));
  };
  const fields: readonly (readonly [string, keyof AuditFilter, SelectOptions])[] = [
    [t('common.session'), 'session', sessions.map((id) => [id, props.sessionName(id)])],
    [t('common.agent'), 'agent', agents.map((agent) => [agent, agent])],
    [t('audit.tool'), 'tool', tools.map((tool) => [tool, toolWord(tool)])],
    [t('audit.task'), 'task', tasks.map((one) => [one.task, props.taskName(one)])],
    [t('audit.outcome'), 'ending', OUTCOMES.map((ending) => [ending, ENDINGS[ending].word])],
  ];
  return (
    <div class="atb-audit-filters" role="search" aria-label={t('audit.filterAudit')}>
      <SearchField
        class="atb-audit-field"
        field={props.field}
        value={filter.text ?? ''}
        label={t('audit.filterHint')}
        onText={(text) => choose({ text })}
        onKey={({ key }) => {
          if (key !== 'Escape' && key !== 'ArrowDown') return false;
          props.onLeave();
          return true;
        }}
      />
      {fields.map(([name, key, options]) => (
        <Choice
          {...{ key, name, options, value: filter[key] }}
          onChoose={(value) => choose({ [key]: value })}
        />
      ))}
      <span class="atb-audit-count" role="status">
        {props.count}
      </span>
    </div>
  );
}

function Choice(props: {
  readonly name: string;
  readonly value: string | undefined;
  readonly options: SelectOptions;
  readonly onChoose: (value: string) => void;
}) {
  const { name, value = '', options } = props;
  const missing = value !== '' && options.every(([one]) => one !== value);
  const known = [...(missing ? [[value, value] as const] : []), ...options];
  const shown = known.map(([one, words]) => [one, visibleText(words)] as const);
  return (
    <label class="atb-audit-choice">
      <span>{name}</span>
      <Select value={value} options={[['', t('audit.all')], ...shown]} onChange={props.onChoose} />
    </label>
  );
}
