import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { QuestionRequest } from '../../protocol/requests';
import { useFocus } from '../part/use-focus';
import { ASK_TITLE_ID } from './ask-title';
import type { Answer } from './answer';
import { useArmed } from './armed';
import { OfflineNote } from './offline-note';

type Question = QuestionRequest['questions'][number];

/** What is chosen for one question: labels, and own words where "Something else…" is chosen. */
interface Choice {
  readonly labels: readonly string[];
  readonly own: boolean;
  readonly words: string;
}

const NOTHING: Choice = { labels: [], own: false, words: '' };

export interface QuestionFormProps {
  readonly request: QuestionRequest;
  readonly origin: string;
  readonly connected: boolean;
  readonly queue: ComponentChildren;
  readonly onAnswer: (answer: Answer) => void;
}

/** The questions of one request, each with its options and room for own words. */
export function QuestionForm(props: QuestionFormProps) {
  const { request } = props;
  const [choices, setChoices] = useState<readonly Choice[]>([]);
  const armed = useArmed(request.requestId);
  const choiceOf = (index: number) => choices[index] ?? NOTHING;
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
        <button
          type="button"
          class="mod-cta atb-button"
          data-reply="answer"
          disabled={!armed || !complete}
          onClick={() => props.onAnswer({ kind: 'question', answers })}
        >
          Answer
        </button>
      </div>
    </div>
  );
}

function answerOf(choice: Choice): readonly string[] {
  const words = choice.words.trim();
  return choice.own && words !== '' ? [...choice.labels, words] : choice.labels;
}

function QuestionField(props: {
  readonly name: string;
  readonly question: Question;
  /** the first question is the title of the dialog already */
  readonly titled: boolean;
  readonly choice: Choice;
  readonly onChoose: (choice: Choice) => void;
}) {
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

function OwnWords(props: {
  readonly name: string;
  readonly choice: Choice;
  readonly many: boolean;
  readonly onChoose: (choice: Choice) => void;
}) {
  const { choice, many } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const toggle = () =>
    props.onChoose({ ...choice, own: !many || !choice.own, labels: many ? choice.labels : [] });
  // The arrows go on from option to option; what is written is for the field, its first letter too.
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
        <span>Something else…</span>
      </label>
      {choice.own && (
        <textarea
          ref={field}
          class="atb-ask-own"
          aria-label="Your answer"
          rows={2}
          value={choice.words}
          onInput={(event) => props.onChoose({ ...choice, words: event.currentTarget.value })}
        />
      )}
    </>
  );
}
