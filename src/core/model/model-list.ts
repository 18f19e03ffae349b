import * as z from 'zod/mini';
import { CacheMeter } from '../cache';
import { jsonAs } from '../json';
import { lazy } from '../lazy';
import { orElse } from '../or-else';
import type { Clock } from '../ports';
import type { ModelInfo, ModelPrice } from './model-client';

/** How long a list is cached, ms. */
const CACHE_MS = 30_000;

/** Least time between two requests for one list, ms. */
const MIN_INTERVAL_MS = 2_000;

/** Price of input that is written to the cache, which keeps it for five minutes as requested. */
const CACHE_WRITES = ['input_cache_write', 'input_cache_write_5_min'];

/** How many lists are cached. */
const MAX_LISTS = 16;

interface CachedList {
  readonly at: number;
  readonly models: Promise<readonly ModelInfo[]>;
  failed: boolean;
}

/** Caches lists of models; the least recently requested one is dropped first. */
export class ModelLists {
  /** least recently requested first */
  readonly #cache = new Map<string, CachedList>();
  readonly meter = new CacheMeter('lists of models', () => this.#cache.size, MAX_LISTS);

  constructor(private readonly clock: Clock) {}

  get(key: string, fetch: () => Promise<readonly ModelInfo[]>): Promise<readonly ModelInfo[]> {
    const now = this.clock.now();
    const before = this.#cache.get(key);
    this.#cache.delete(key);
    const isGood = before !== undefined && !before.failed && now - before.at < CACHE_MS;
    this.meter.count(isGood);
    const kept = isGood ? before : this.#fetchList(fetch, now, before);
    this.#cache.set(key, kept);
    const oldest = [...this.#cache.keys()].slice(0, -MAX_LISTS);
    for (const one of oldest) this.#cache.delete(one);
    return kept.models;
  }

  #fetchList(
    fetch: Parameters<ModelLists['get']>[1],
    now: number,
    before: CachedList | undefined,
  ): CachedList {
    const at = Math.max(now, (before?.at ?? -Infinity) + MIN_INTERVAL_MS);
    const due = new Promise<void>((resolve) => {
      if (at === now) resolve();
      else this.clock.after(at - now, resolve);
    });
    const models = due.then(fetch);
    const kept: CachedList = { at, models, failed: false };
    models.catch(() => (kept.failed = true));
    return kept;
  }
}

const listForm = lazy(() => {
  const count = orElse(z.optional(z.number()), undefined);
  const text = orElse(z.optional(z.string()), undefined);
  const perToken = orElse(z.optional(z.union([z.string(), z.number()])), undefined);
  const tier = z.object({ value: z.number(), unit: z.literal('perMTokens') });
  const tiers = orElse(z.optional(z.array(tier)), undefined);
  const model = z.object({
    id: z.string(),
    ...{ name: text, display_name: text },
    // The context size as OpenRouter and ZenMux, Anthropic, vLLM, LM Studio and Groq name it.
    ...{ context_length: count, max_input_tokens: count, max_model_len: count },
    ...{ max_context_length: count, context_window: count },
    max_tokens: count,
    top_provider: orElse(z.optional(z.object({ max_completion_tokens: count })), undefined),
    pricing: orElse(z.optional(z.record(z.string(), perToken)), undefined),
    pricings: orElse(z.optional(z.record(z.string(), tiers)), undefined),
  });
  return z.object({ data: z.array(model) });
});

type ListedModel = z.output<ReturnType<typeof listForm>>['data'][number];

/** Names of models that answer no prompts with text. */
const NO_CHAT =
  /embed|bge-|whisper|tts|dall-e|moderation|rerank|transcribe|realtime|image|sora|veo/i;

/**
 * The models in an answer, those that don't chat last, since the first is the default; undefined if
 * it is not a list. Ollama reports no context size.
 */
export function modelsIn(text: string): readonly ModelInfo[] | undefined {
  const models = jsonAs(listForm(), text)?.data.map((one): ModelInfo => {
    // Google prefixes ids with a folder, which requests may omit.
    const id = one.id.replace(/^models\//, '');
    const { context_length, max_input_tokens, max_model_len, max_context_length } = one;
    return {
      id,
      name: one.display_name ?? one.name ?? id,
      context:
        context_length ??
        max_input_tokens ??
        max_model_len ??
        max_context_length ??
        one.context_window,
      output: one.top_provider?.max_completion_tokens ?? one.max_tokens,
      price: priceOf(one),
    };
  });
  const isLast = ({ id }: ModelInfo): number => Number(NO_CHAT.test(id));
  return models?.sort((a, b) => isLast(a) - isLast(b));
}

/**
 * OpenRouter reports dollars per token, ZenMux dollars per million, with the price of short
 * requests first.
 */
function priceOf({ pricing, pricings }: ListedModel): ModelPrice | undefined {
  const of = (name: string): number | undefined =>
    pricing === undefined ? pricings?.[name]?.[0]?.value : perMillion(pricing[name]);
  const [input, output, cacheRead] = ['prompt', 'completion', 'input_cache_read'].map(of);
  if (input === undefined || output === undefined) return undefined;
  const cacheWrite = CACHE_WRITES.map(of).find((one) => one !== undefined);
  return {
    ...{ input, output },
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  };
}

function perMillion(price: string | number | undefined): number | undefined {
  const dollars = Number(price ?? NaN) * 1_000_000;
  // OpenRouter reports -1 if the price depends on the model it chooses.
  return Number.isFinite(dollars) && dollars >= 0 ? Number(dollars.toPrecision(6)) : undefined;
}
