import { ModelError, type ModelClient } from '../../core/model/model-client';
import { errorText, t } from '../language/text';

/** Maximum tokens of the answer to the test prompt. */
const MAX_OUTPUT = 64;

/** Sessions send tools, which some models can't call. */
const TOOL = {
  name: 'tasks',
  description: 'Reads the task board.',
  schema: { type: 'object', properties: {} },
};

/**
 * Tests whether a model of the provider answers. Returns a sentence for the person: what failed,
 * and what to do.
 * @param name of the provider
 * @param model as set; empty: the first of the list
 */
export async function testConnection(
  client: ModelClient,
  name: string,
  model: string,
): Promise<{ readonly ok: boolean; readonly words: string }> {
  const failed = (words: string) => ({ ok: false, words });
  try {
    const listed = (await client.models()).map(({ id }) => id);
    const [first] = listed;
    if (model === '' && first === undefined) return failed(t('provider.noModels', { name }));
    // Some providers list no models, or not all: then the model itself is tried.
    const tested = model === '' ? (first ?? '') : model;
    await answer(client, tested);
    return { ok: true, words: t('provider.works', { name, model: tested }) };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const isUnknown = error.code === 'not_found' && model !== '';
    const hint = isUnknown ? ` ${t('provider.chooseModel', { model })}` : '';
    return failed(`${errorText(error)}${hint}`);
  }
}

/**
 * Waits only for the first token of the answer.
 * @throws ModelError
 */
async function answer(client: ModelClient, model: string): Promise<void> {
  const messages = [{ role: 'user', text: 'Answer with OK.' }] as const;
  const request = { model, system: '', messages, tools: [TOOL], maxOutput: MAX_OUTPUT };
  for await (const _ of client.stream(request, new AbortController().signal)) return;
}
