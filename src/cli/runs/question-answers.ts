import type { QuestionRequest } from '../../protocol/requests';

type Question = QuestionRequest['questions'][number];

/**
 * What was typed as answers: to each question the number of a choice, several as `1,3`, its label, or
 * own words; between questions a `;`. A list for each question, else what is wrong with it.
 */
export function questionAnswers(
  questions: readonly Question[],
  typed: string,
): readonly (readonly string[])[] | string {
  const parts = questions.length === 1 ? [typed] : typed.split(';');
  if (parts.length !== questions.length) {
    return `it asks ${questions.length} questions: give an answer to each, with ; between them.`;
  }
  const answers: (readonly string[])[] = [];
  for (const [at, question] of questions.entries()) {
    const answer = answerOf(question, (parts[at] ?? '').trim());
    if (typeof answer === 'string') return answer;
    answers.push(answer);
  }
  return answers;
}

function answerOf(question: Question, typed: string): readonly string[] | string {
  const { options, multiple = false } = question;
  if (typed === '') return 'an answer is empty.';
  const same = options.find(({ label }) => label.toLowerCase() === typed.toLowerCase());
  if (same !== undefined) return [same.label];
  if (options.length > 0 && /^\d{1,4}(?:\s*,\s*\d{1,4})*$/.test(typed)) {
    const numbers = [...new Set(typed.split(',').map(Number))];
    if (numbers.length > 1 && !multiple) return `"${typed}": one choice can be taken.`;
    const chosen = numbers.flatMap((n) => options[n - 1]?.label ?? []);
    return chosen.length === numbers.length
      ? chosen
      : `"${typed}": the choices are 1 to ${options.length}.`;
  }
  if (takesWords(question)) return [typed];
  return `"${typed}" is no choice: ${options.map(({ label }) => label).join(', ')}.`;
}

/** Whether own words answer it. */
export function takesWords({ custom, options }: Question): boolean {
  return custom !== false || options.length === 0;
}
