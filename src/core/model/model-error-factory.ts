import * as z from 'zod/mini';
import { durationText } from '../duration';
import { parseJson } from '../json';
import { lazy } from '../lazy';
import { Redactor } from '../permission/audit/redact';
import { ModelError, type ModelErrorCode } from './model-client';
import type { Provider } from './provider';

/** Maximum UTF-16 units of a provider's own error text in a message. */
const MAX_WORDS = 300;

/** How Ollama, OpenRouter and others say that a model can't call tools. */
const LACKS_TOOLS = /support\w* tool/i;

/** How providers and local servers say that a request exceeds the model's context. */
const TOO_LONG =
  /context_length|context (length|window|size|limit)|(prompt|input) is too long|maximum prompt length|input token count|request_too_large/i;

/** The error in an answer, in one form for all providers. */
interface ReportedError {
  readonly words: string;
  /** the provider's type, code and status, joined by spaces */
  readonly names: string;
}

const reportedErrorForm = lazy(() => {
  const text = z.union([z.string(), z.number(), z.null()]);
  const parts = z.object({
    message: z.optional(text),
    detail: z.optional(z.unknown()),
    type: z.optional(text),
    code: z.optional(text),
    status: z.optional(text),
  });
  return z.union([z.string(), parts]);
});

/** Creates the errors of one provider: what happened and what to do, never with its key. */
export class ModelErrorFactory {
  readonly #redactor: Redactor;

  constructor(private readonly provider: Provider) {
    const { key = '' } = provider;
    this.#redactor = new Redactor(() => [key, encodeURIComponent(key)]);
  }

  /** @param body of the answer, or its beginning */
  fromStatus(
    status: number,
    headers: Readonly<Record<string, string>>,
    body: string,
    now: number,
  ): ModelError {
    if (status >= 300 && status < 400) return this.#redirected(status);
    return this.#failed(status, readReportedError(parseJson(body)), retryAfter(headers, body, now));
  }

  /** An error that the provider reported within an answer. */
  fromReport(error: unknown): ModelError {
    const reported = readReportedError(error);
    return this.#failed(Number(/\b[45]\d\d\b/.exec(reported.names)?.[0] ?? 0), reported, undefined);
  }

  badAnswer(why: string): ModelError {
    const hint = 'Try again. If it stays so, choose another model, or check the address.';
    return new ModelError(
      'bad_answer',
      `${this.provider.name} can't be understood: ${why}. ${hint}`,
    );
  }

  /** The provider was silent for too long. @param ms how long */
  silent(ms: number): ModelError {
    const { name } = this.provider;
    const hint = 'Try again, or choose a smaller or faster model.';
    return new ModelError('network', `${name} said nothing for ${durationText(ms)}. ${hint}`);
  }

  cutOff(): ModelError {
    const words = `The connection to ${this.provider.name} ended within an answer. Try again.`;
    return new ModelError('network', words, undefined, true);
  }

  /** The request failed without an answer. @param error what the host threw */
  network(error: unknown): ModelError {
    const { name, url, start } = this.provider;
    const { host } = new URL(url);
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const words = `${code} ${error instanceof Error ? error.message : String(error)}`.trim();
    const failed = (what: string, retryable = false): ModelError =>
      new ModelError('network', what, undefined, retryable);
    // With the words of Android and iOS, where the errors have no codes.
    if (/REFUSED|(failed to|could not) connect/i.test(words))
      return failed(`Nothing listens at ${host}. ${start ?? 'Check the address.'}`);
    if (
      /ENOTFOUND|EAI_AGAIN|NAME_NOT_RESOLVED|getaddrinfo|resolve host|hostname could not|offline/i.test(
        words,
      )
    )
      return failed(`There is no ${host}, or no network. Check the address.`);
    if (/CERT|SELF.SIGNED|SSL|TLS|EPROTO|issuer/i.test(words)) {
      const hint = `It is not called. Check the address; a certificate of your own has to be trusted by the system.`;
      return failed(`${host} can't be trusted: ${this.#short(words)}. ${hint}`);
    }
    if (/TIMEDOUT|TIMED OUT|UNREACH/i.test(words))
      return failed(`${host} can't be reached. Check the network and the address.`);
    return failed(`${name} could not be asked: ${this.#short(words)}. Try again.`, true);
  }

  #redirected(status: number): ModelError {
    const { name, url } = this.provider;
    const why = `it answers with a redirect (${status}), which is not followed`;
    const hint = 'Set the address at which it answers itself.';
    return new ModelError('refused', `${name} is not at ${url}: ${why}. ${hint}`);
  }

  #failed(status: number, reported: ReportedError, wait: number | undefined): ModelError {
    const { name } = this.provider;
    const code = codeOf(status, reported, wait);
    // The provider's text about a key may contain a part of it.
    const words = code === 'auth' ? '' : this.#short(reported.words);
    const saying = words === '' ? '' : ` It says: ${words.replace(/(?<![.!?…])$/, '.')}`;
    const retryable = code === 'rate_limit' || code === 'overloaded';
    const happened = LACKS_TOOLS.test(reported.words)
      ? 'offers this model without tools, which agents work with. Choose a model that can call tools.'
      : this.#explain(code, status, wait);
    const what = `${name} ${happened}${saying}`;
    return new ModelError(code, what, retryable ? wait : undefined, retryable);
  }

  #explain(code: ModelErrorCode, status: number, wait: number | undefined): string {
    const { id, url, key, keyPlace } = this.provider;
    switch (code) {
      case 'auth':
        if (id === 'ollama' && status === 403)
          return 'refuses this app. Set OLLAMA_ORIGINS=app://obsidian.md* where Ollama is started, and start it again.';
        if (key === undefined) return `wants a key. Set it ${keyPlace}.`;
        return `refuses the key (status ${status}). Check it, and what it may do, or set another ${keyPlace}.`;
      case 'quota':
        return 'has no credit left on this account. Add some there, or choose another provider.';
      case 'rate_limit': {
        const when =
          wait === undefined ? 'a minute' : durationText(Math.ceil(wait / 1_000) * 1_000);
        return `allows no more requests for now. Try again in ${when}.`;
      }
      case 'context_too_long':
        return 'can read no more: the conversation is too long. Compact it, start a new session, or choose a model with a larger context.';
      case 'overloaded':
        return `is overloaded or has a fault (status ${status}). Try again later, or choose another model.`;
      case 'not_found':
        return `knows no such model or address (${url}). Check both; most addresses end in /v1.`;
      case 'refused':
      case 'network':
      case 'bad_answer':
        return `refuses the request (status ${status}). Choose another model, or change what you ask.`;
    }
  }

  #short(words: string): string {
    const clean = this.#redactor.text(words).replace(/\s+/g, ' ').trim();
    return clean.length > MAX_WORDS ? `${clean.slice(0, MAX_WORDS)}…` : clean;
  }
}

function codeOf(
  status: number,
  { words, names }: ReportedError,
  wait: number | undefined,
): ModelErrorCode {
  const either = (pattern: RegExp): boolean => pattern.test(names) || pattern.test(words);
  if (either(TOO_LONG)) return 'context_too_long';
  if (status === 402 || either(/credit balance|insufficient.(quota|credit|balance)|billing_error/i))
    return 'quota';
  if (LACKS_TOOLS.test(words)) return 'refused';
  if (/authentication_error|permission_error|invalid_api_key/.test(names)) return 'auth';
  if (/api key not valid|invalid api key|incorrect api key/i.test(words)) return 'auth';
  if (/not_found/i.test(names)) return 'not_found';
  if (status === 429 || /rate_limit/i.test(names))
    return wait === undefined && /exceeded your current quota/i.test(words)
      ? 'quota'
      : 'rate_limit';
  // Ollama has one name for most errors; then the status says more.
  const isOpen = status === 0 || status >= 500;
  if (isOpen && /overloaded|api_error|server_error|timeout_error/i.test(names)) return 'overloaded';
  if (status === 401 || status === 403) return 'auth';
  if (status === 404 || status === 405) return 'not_found';
  if (status === 413) return 'context_too_long';
  if (status >= 500 || status === 408) return 'overloaded';
  return 'refused';
}

/**
 * OpenAI, Anthropic and Ollama send `{error}`, Google a list of that, others the fields directly.
 */
function readReportedError(value: unknown): ReportedError {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  const inner = typeof first === 'object' && first !== null && 'error' in first;
  const read = z.safeParse(reportedErrorForm(), inner ? first.error : first);
  if (!read.success) return { words: '', names: '' };
  if (typeof read.data === 'string') return { words: read.data, names: '' };
  const { message, detail, type, code, status } = read.data;
  const words = String(message ?? (detail === undefined ? '' : JSON.stringify(detail)));
  return { words, names: [type, code, status].map((one) => one ?? '').join(' ') };
}

/**
 * How long to wait, ms: from the headers, or from Google's `retryDelay` in the body; undefined if not
 * at all.
 */
function retryAfter(
  headers: Readonly<Record<string, string>>,
  body: string,
  now: number,
): number | undefined {
  const { 'retry-after-ms': ms, 'retry-after': after } = headers;
  const seconds = after ?? /"retryDelay":\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1];
  const wait =
    ms !== undefined
      ? Number(ms)
      : seconds === undefined
        ? NaN
        : /^[\d.]+$/.test(seconds)
          ? Number(seconds) * 1000
          : Date.parse(seconds) - now;
  return Number.isFinite(wait) && wait > 0 ? wait : undefined;
}
