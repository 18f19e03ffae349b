import { useMemo, useRef, useState } from 'preact/hooks';
import type { PermissionRequest, QuestionRequest } from '../../protocol/snapshot';
import {
  ASK_TITLE_ID,
  AskFacts,
  AskFrame,
  OfflineNote,
  StepButtons,
  type SharedAskProps,
  type PromptAnswer,
} from './ask-steps';
import { useArmed } from '../ui/armed';
import { DiffLines, VisibleText } from '../ui/diff-view';
import { diffLines } from '../ui/text-diff';
import { noteName } from '../ui/text';
import { permissionText } from './ask-text';
import { useFocus } from '../ui/focus';
import { Button } from '../ui/icon';
import { t, tNodes } from '../language/text';

interface PermissionFormProps extends SharedAskProps {
  readonly request: PermissionRequest;
  readonly onAnswer: (answer: PromptAnswer) => void;
}

/** A permission request of OpenCode: what is asked, and the three answers. */
export function PermissionForm(props: PermissionFormProps) {
  const { request, onAnswer } = props;
  const { requestId, permission, always } = request;
  const subject = useMemo(() => JSON.stringify(request), [request]);
  const text = permissionText(request);
  // OpenCode's request itself says what "always" would record, and for how long.
  const alwaysStep = (step: { readonly armed: boolean; readonly onBack: () => void }) => (
    <>
      <p class="atb-ask-sentence">
        {tNodes('ask.untilEnd', {
          permission: <strong>{permission}</strong>,
          patterns: always.map((pattern, index) => (
            <code class="atb-ask-pattern" key={index}>
              <VisibleText text={pattern} />
            </code>
          )),
        })}
      </p>
      <StepButtons
        {...{ ...step, kind: 'primary', reply: 'always', words: t('ask.saveAndAllow') }}
        onClick={() => onAnswer({ kind: 'permission', reply: 'always' })}
      />
    </>
  );
  return (
    <AskFrame
      {...{ ...props, requestId, subject }}
      always={always.length === 0 ? undefined : alwaysStep}
      onAllow={() => onAnswer({ kind: 'permission', reply: 'once' })}
      onDeny={(words) => onAnswer({ kind: 'permission', reply: 'reject', ...words })}
    >
      <AskFacts {...{ ...text, requestId }}>
        {permission === 'resume'
          ? t('ask.boardOfAnother')
          : tNodes('ask.openCodeAsks', { permission: <code>{permission}</code> })}
      </AskFacts>
      <DiffLines
        lines={diffLines(request)}
        name={t('ask.changeTo', { note: noteName(text.objects[0] ?? permission) })}
      />
      <OfflineNote connected={props.connected} />
    </AskFrame>
  );
}

type Question = QuestionRequest['questions'][number];

/** The choice for one question: labels, and own text if "Something else…" is chosen. */
interface Choice {
  readonly labels: readonly string[];
  readonly own: boolean;
  readonly words: string;
}

const NO_CHOICE: Choice = { labels: [], own: false, words: '' };

interface QuestionFormProps extends Pick<SharedAskProps, 'origin' | 'connected' | 'queue'> {
  readonly request: QuestionRequest;
  readonly onAnswer: (answer: PromptAnswer) => void;
}

/** The questions of a request, each with its options and a field for own text. */
export function QuestionForm(props: QuestionFormProps) {
  const { request } = props;
  const [choices, setChoices] = useState<readonly Choice[]>([]);
  const armed = useArmed(request.requestId);
  const choiceOf = (index: number) => choices[index] ?? NO_CHOICE;
  const choose = (index: number, choice: Choice) =>
    setChoices(request.questions.map((_, at) => (at === index ? choice : choiceOf(at))));
  const answers = request.questions.map((_, index) => answerOf(choiceOf(index)));
  const complete = answers.every((answer) => answer.length > 0);
  const form = useRef<HTMLDivElement>(null);
  useFocus(form);
  return (
    <div
      class="atb-question"
      role="alertdialog"
      aria-labelledby={ASK_TITLE_ID}
      data-request={request.requestId}
      tabIndex={-1}
      ref={form}
    >
      <p class="atb-ask-origin">{props.origin}</p>
      {request.questions.map((question, index) => (
        <QuestionField
          key={index}
          name={`${request.requestId}-${index}`}
          question={question}
          titled={index > 0}
          choice={choiceOf(index)}
          onChoose={(choice) => choose(index, choice)}
        />
      ))}
      <OfflineNote connected={props.connected} />
      <div class="atb-buttons atb-ask-buttons">
        {props.queue}
        <Button
          kind="primary"
          words={t('common.answer')}
          data-reply="answer"
          disabled={!armed || !complete}
          onClick={() => props.onAnswer({ kind: 'question', answers })}
        />
      </div>
    </div>
  );
}

function answerOf(choice: Choice): readonly string[] {
  const words = choice.words.trim();
  return choice.own && words !== '' ? [...choice.labels, words] : choice.labels;
}

interface FieldProps {
  readonly name: string;
  readonly question: Question;
  /** the dialog's title shows the first question already */
  readonly titled: boolean;
  readonly choice: Choice;
  readonly onChoose: (choice: Choice) => void;
}

function QuestionField(props: FieldProps) {
  const { question, choice } = props;
  const many = question.multiple === true;
  const own = question.custom !== false || question.options.length === 0;
  const pick = (label: string) => {
    if (!many) return props.onChoose({ ...choice, labels: [label], own: false });
    const without = choice.labels.filter((one) => one !== label);
    const labels = without.length < choice.labels.length ? without : [...choice.labels, label];
    props.onChoose({ ...choice, labels });
  };
  return (
    <fieldset class="atb-ask-field">
      <legend class={props.titled ? 'atb-ask-legend' : 'atb-unseen'}>{question.question}</legend>
      {question.options.map((option) => (
        <label class="atb-ask-option" key={option.label}>
          <input
            type={many ? 'checkbox' : 'radio'}
            name={props.name}
            checked={choice.labels.includes(option.label)}
            onChange={() => pick(option.label)}
          />
          <span>
            {option.label}
            {option.description !== undefined && option.description !== '' && (
              <small class="atb-ask-description">{option.description}</small>
            )}
          </span>
        </label>
      ))}
      {own && <OwnWords {...props} many={many} />}
    </fieldset>
  );
}

function OwnWords(props: FieldProps & { readonly many: boolean }) {
  const { choice, many } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const toggle = () =>
    props.onChoose({ ...choice, own: !many || !choice.own, labels: many ? choice.labels : [] });
  // Arrow keys move between the options; typing goes to the field, including the first letter.
  const write = (event: KeyboardEvent) => {
    if (event.key.length > 1 || event.key === ' ') return;
    if (!event.ctrlKey && !event.metaKey && !event.altKey) field.current?.focus();
  };
  return (
    <>
      <label class="atb-ask-option">
        <input
          type={many ? 'checkbox' : 'radio'}
          name={props.name}
          checked={choice.own}
          onChange={toggle}
          onKeyDown={write}
        />
        <span>{t('ask.somethingElse')}</span>
      </label>
      {choice.own && (
        <textarea
          ref={field}
          class="atb-ask-own"
          aria-label={t('ask.yourAnswer')}
          rows={2}
          value={choice.words}
          onInput={(event) => props.onChoose({ ...choice, words: event.currentTarget.value })}
        />
      )}
    </>
  );
}
