import type { ComponentChildren } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { PermissionRequest, QuestionRequest } from '../../protocol/snapshot';
import {
  ASK_TITLE_ID,
  AskFrame,
  AskSteps,
  OfflineNote,
  StepButtons,
  type AskStep,
  type PromptAnswer,
  type UnsentWords,
} from './ask-steps';
import { useArmed } from '../ui/armed';
import { DiffLines, ShownText } from '../ui/diff-view';
import { diffLines } from '../ui/text-diff';
import { noteName } from '../ui/text';
import { permissionText, type PermissionText } from './ask-text';
import { useFocus } from '../ui/focus';
import { Button } from '../ui/icon';

interface PermissionFormProps {
  readonly request: PermissionRequest;
  /** "build in Offline search for the vault" */
  readonly origin: string;
  readonly task?: string | undefined;
  readonly connected: boolean;
  /** where the dialog begins: `deny` where that was chosen before it opened */
  readonly step?: AskStep;
  /** stands before the buttons: the place in the queue */
  readonly queue: ComponentChildren;
  readonly unsent: UnsentWords;
  readonly onAnswer: (answer: PromptAnswer) => void;
}

/** One request of OpenCode: what exactly is asked, and the three answers. */
export function PermissionForm(props: PermissionFormProps) {
  const { request } = props;
  const [step, setStep] = useState<AskStep>(props.step ?? 'ask');
  const content = useMemo(() => JSON.stringify(request), [request]);
  const armed = useArmed(`${step} ${content}`);
  const text = permissionText(request);
  const reply = (answer: PromptAnswer) => {
    if (armed) props.onAnswer(answer);
  };
  const allow = () => reply({ kind: 'permission', reply: 'once' });
  const asked = `atb-asked-${request.requestId}`;
  return (
    <AskFrame
      {...{ step, requestId: request.requestId, describedBy: asked }}
      {...{ origin: props.origin, task: props.task, onAllow: allow }}
    >
      <Asked id={asked} request={request} text={text} />
      <DiffLines
        lines={diffLines(request)}
        name={`Change to ${noteName(text.objects[0] ?? request.permission)}`}
      />
      <OfflineNote connected={props.connected} />
      <AskSteps
        {...{ step, armed, requestId: request.requestId, onStep: setStep, onAllow: allow }}
        {...{ queue: props.queue, unsent: props.unsent }}
        always={
          request.always.length === 0
            ? undefined
            : (onBack) => (
                <Always
                  {...{ armed, request, onBack }}
                  onSave={() => reply({ kind: 'permission', reply: 'always' })}
                />
              )
        }
        onDeny={(words) => reply({ kind: 'permission', reply: 'reject', ...words })}
      />
    </AskFrame>
  );
}

function Asked(props: {
  readonly id: string;
  readonly request: PermissionRequest;
  readonly text: PermissionText;
}) {
  const { request, text } = props;
  return (
    <dl class="atb-ask-facts" id={props.id}>
      <dt>{text.label}</dt>
      <dd>
        {text.objects.map((object, index) => (
          <code class={text.files ? 'atb-ask-object is-file' : 'atb-ask-object'} key={index}>
            <ShownText text={object} />
          </code>
        ))}
      </dd>
      {text.change !== null && (
        <>
          <dt>Change</dt>
          <dd>{text.change}</dd>
        </>
      )}
      <dt>Asked by</dt>
      <dd>
        OpenCode, <code>{request.permission}</code> is set to ask
      </dd>
    </dl>
  );
}

/** OpenCode says itself what it would record, and for how long. */
function Always(props: {
  readonly armed: boolean;
  readonly request: PermissionRequest;
  readonly onBack: () => void;
  readonly onSave: () => void;
}) {
  const { armed, request, onBack } = props;
  return (
    <>
      <p class="atb-ask-sentence">
        From now on allow <strong>{request.permission}</strong> for{' '}
        {request.always.map((pattern, index) => (
          <code class="atb-ask-pattern" key={index}>
            <ShownText text={pattern} />
          </code>
        ))}{' '}
        until OpenCode ends.
      </p>
      <StepButtons
        {...{ armed, onBack }}
        reply="always"
        words="Save and allow"
        onClick={props.onSave}
      />
    </>
  );
}

type Question = QuestionRequest['questions'][number];

/** What is chosen for one question: labels, and own words where "Something else…" is chosen. */
interface Choice {
  readonly labels: readonly string[];
  readonly own: boolean;
  readonly words: string;
}

const NOTHING: Choice = { labels: [], own: false, words: '' };

interface QuestionFormProps {
  readonly request: QuestionRequest;
  readonly origin: string;
  readonly connected: boolean;
  readonly queue: ComponentChildren;
  readonly onAnswer: (answer: PromptAnswer) => void;
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
        <Button
          kind="primary"
          words="Answer"
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
