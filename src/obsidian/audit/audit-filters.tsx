import type { Ref } from 'preact';
import type {
  AuditFilter,
  Ending,
  FilterChoices,
  TaskChoice,
} from '../../core/permission/audit/audit-rows';
import { visibleText } from '../../core/permission/audit/redact';
import { Icon } from '../ui/icon';
import { ENDINGS, toolWord } from './audit-words';

export interface FiltersProps {
  readonly filter: AuditFilter;
  readonly choices: FilterChoices;
  readonly sessionName: (id: string) => string;
  readonly taskName: (choice: TaskChoice) => string;
  /** "12 of 1,284" */
  readonly count: string | undefined;
  readonly field: Ref<HTMLInputElement>;
  readonly onFilter: (filter: AuditFilter) => void;
  /** Esc in the field that is empty, or Arrow down */
  readonly onLeave: () => void;
}

const OUTCOMES: readonly Ending[] = [
  ...(['waiting', 'done', 'preview', 'denied', 'failed', 'cancelled'] as const),
  ...(['open', 'damaged'] as const),
];

/** What the list is narrowed to. */
export function AuditFilters(props: FiltersProps) {
  const { filter, choices, onFilter } = props;
  const { sessions, agents, tools } = choices;
  // Of the session that was chosen, if one was.
  const tasks = choices.tasks.filter(
    ({ sessionId }) => filter.session === undefined || sessionId === filter.session,
  );
  const choose = (part: Partial<Record<keyof AuditFilter, string>>): void => {
    const kept = Object.entries({ ...filter, ...part }).filter(([, value]) => value !== '');
    onFilter(Object.fromEntries(kept));
  };
  return (
    <div class="atb-audit-filters" role="search" aria-label="Filter audit">
      <FilterField {...props} onText={(text) => choose({ text })} />
      <Choice
        name="Session"
        value={filter.session}
        options={sessions.map((id) => [id, props.sessionName(id)])}
        onChoose={(session) => choose({ session })}
      />
      <Choice
        name="Agent"
        value={filter.agent}
        options={agents.map((agent) => [agent, agent])}
        onChoose={(agent) => choose({ agent })}
      />
      <Choice
        name="Tool"
        value={filter.tool}
        options={tools.map((tool) => [tool, toolWord(tool)])}
        onChoose={(tool) => choose({ tool })}
      />
      <Choice
        name="Task"
        value={filter.task}
        options={tasks.map((one) => [one.task, props.taskName(one)])}
        onChoose={(task) => choose({ task })}
      />
      <Choice
        name="Outcome"
        value={filter.ending}
        options={OUTCOMES.map((ending) => [ending, ENDINGS[ending].word])}
        onChoose={(ending) => choose({ ending })}
      />
      <span class="atb-audit-count" role="status">
        {props.count}
      </span>
    </div>
  );
}

function FilterField(props: FiltersProps & { readonly onText: (text: string) => void }) {
  const { filter, field, onText, onLeave } = props;
  const text = filter.text ?? '';
  return (
    <span class="atb-audit-field">
      <Icon name="search" />
      <input
        type="search"
        ref={field}
        value={text}
        placeholder="Filter by note, task or words"
        aria-label="Filter by note, task or words"
        onInput={(event) => onText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && text !== '') onText('');
          else if (event.key === 'Escape' || event.key === 'ArrowDown') onLeave();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
    </span>
  );
}

function Choice(props: {
  readonly name: string;
  readonly value: string | undefined;
  readonly options: readonly (readonly [value: string, words: string])[];
  readonly onChoose: (value: string) => void;
}) {
  const { name, value = '', options, onChoose } = props;
  const missing = value !== '' && options.every(([one]) => one !== value);
  return (
    <label class="atb-audit-choice">
      <span>{name}</span>
      <select
        class="dropdown"
        value={value}
        onChange={(event) => onChoose(event.currentTarget.value)}
      >
        <option value="">All</option>
        {missing && <option value={value}>{visibleText(value)}</option>}
        {options.map(([one, words]) => (
          <option key={one} value={one}>
            {visibleText(words)}
          </option>
        ))}
      </select>
    </label>
  );
}
