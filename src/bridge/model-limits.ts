import * as z from 'zod/mini';
import { RecentMap } from './recent-map';

/** More models than a person changes between. */
const REMEMBERED = 100;

const request = z.object({
  model: z.object({
    id: z.string(),
    providerID: z.string(),
    limit: z.object({ context: z.number().check(z.gte(1)) }),
  }),
});

/**
 * How many tokens fit into a request of each model, as OpenCode says it with the request itself:
 * no question is asked for it, and it is known before the answer is counted.
 */
export class ModelLimits {
  private readonly limits = new RecentMap<string, number>(REMEMBERED);

  /** `chat.params`: a request is about to be made. One of another form says nothing. */
  heard(input: unknown): void {
    const read = request.safeParse(input);
    if (!read.success) return;
    const { providerID, id, limit } = read.data.model;
    this.limits.set(`${providerID}/${id}`, limit.context);
  }

  /** @param model `provider/model` */
  of(model: string): number | undefined {
    return this.limits.get(model);
  }
}
