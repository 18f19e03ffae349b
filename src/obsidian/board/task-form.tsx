import type { App } from 'obsidian';
import { useState } from 'preact/hooks';
import { PRIORITIES, type Board, type Priority, type Task } from '../../core/board/task';
import { openForm } from '../ui/dialog';
import { Field, FormButtons, Select } from '../ui/fields';
import type { BoardActions } from './board-actions';
import { t } from '../language/text';

/** Fields of the form; null: not set. */
interface TaskFields {
  readonly due: string | null;
  readonly priority: Priority;
  readonly estimate: string | null;
  readonly body: string | null;
}

/** Asks for due date, priority, estimate and text of a task, and writes those that changed. */
export async function editTask(
  app: App,
  actions: BoardActions,
  board: Board,
  task: Task,
): Promise<void> {
  const before = fieldsOf(task);
  const after = await openForm<TaskFields>(app, task.title, (done) => (
    <TaskForm initial={before} onDone={done} />
  ));
  if (after === undefined) return;
  const changed = Object.entries(after).filter(
    ([name, value]) => value !== new Map<string, unknown>(Object.entries(before)).get(name),
  );
  if (changed.length === 0) return;
  await actions.edit(board, task, Object.fromEntries(changed));
}

function fieldsOf({ due, priority, estimate, body }: Task): TaskFields {
  return { due, priority, estimate, body: body.length === 0 ? null : body.join('\n') };
}

/** The format that operations accept. */
const ESTIMATE = /^\d{1,5}(\.\d{1,2})?[mh]$/;

function TaskForm(props: {
  readonly initial: TaskFields;
  readonly onDone: (fields: TaskFields | undefined) => void;
}) {
  const { initial, onDone } = props;
  const [fields, setFields] = useState(initial);
  const set = (part: Partial<TaskFields>) => setFields({ ...fields, ...part });
  const { due, priority, estimate, body } = fields;
  const isEstimateValid =
    estimate === initial.estimate || estimate === null || ESTIMATE.test(estimate);
  const save = (): void => {
    if (isEstimateValid) onDone(fields);
  };
  return (
    <form
      class="atb-form"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      onKeyDown={(event) => {
        const line = (event.target as Element).localName === 'input' && !event.isComposing;
        if (event.key === 'Enter' && (line || event.ctrlKey || event.metaKey)) save();
      }}
    >
      <Field name={t('board.dueField')}>
        <input
          type="date"
          value={due ?? ''}
          onInput={({ currentTarget: { value } }) => set({ due: value === '' ? null : value })}
        />
      </Field>
      <Field name={t('board.priorityField')}>
        <Select
          value={priority}
          options={PRIORITIES.map((one) => [one, t(`priority.${one}`)])}
          onChange={(word) => set({ priority: PRIORITIES.find((one) => one === word) ?? 'normal' })}
        />
      </Field>
      <Field
        name={t('board.estimateField')}
        {...(!isEstimateValid && { problem: t('board.estimateProblem') })}
      >
        <input
          type="text"
          value={estimate ?? ''}
          placeholder="30m, 2h"
          aria-invalid={!isEstimateValid}
          onInput={({ currentTarget: { value } }) =>
            set({ estimate: value.trim() === '' ? null : value.trim() })
          }
        />
      </Field>
      <Field name={t('board.textField')} words={t('board.textHint')}>
        <textarea
          rows={5}
          value={body ?? ''}
          onInput={({ currentTarget: { value } }) => set({ body: value === '' ? null : value })}
        />
      </Field>
      <FormButtons
        yes={t('board.save')}
        disabled={!isEstimateValid}
        onYes={save}
        onNo={() => onDone(undefined)}
      />
    </form>
  );
}
