/**
 * Tasks that are selected in a view, by the ids of their rows or cards: path of the board and key. They
 * are of one plan, so that what is done with them is one change of one note.
 */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** where a range begins */
  readonly from: string | undefined;
  /** what is selected beside the range that is being extended; undefined: none is */
  readonly beside: ReadonlySet<string> | undefined;
}

export const NONE_SELECTED: Selection = { ids: new Set(), from: undefined, beside: undefined };

/** The same with the person on another task, where a range would begin. */
export function startingAt({ ids }: Selection, from: string): Selection {
  return { ids, from, beside: undefined };
}

/** The same with one more or one less; what is of another plan is selected no more. */
export function toggledIn({ ids }: Selection, id: string): Selection {
  const own = new Set([...ids].filter((one) => samePlan(one, id)));
  if (!own.delete(id)) own.add(id);
  return { ids: own, from: id, beside: undefined };
}

/**
 * The same with all from where the range began, else from `stop`, up to a task.
 * @param order ids of the tasks as the view shows them; where it does not say what is between, the two
 *   ends are selected
 */
export function extendedTo(
  { ids, from, beside = ids }: Selection,
  order: readonly string[],
  stop: string | undefined,
  to: string,
): Selection {
  const start = from ?? stop ?? to;
  const first = samePlan(start, to) ? start : to;
  const ends = [order.indexOf(first), order.indexOf(to)];
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const range = low < 0 ? [first, to] : order.slice(low, high + 1);
  const all = [...beside, ...range].filter((one) => samePlan(one, to));
  return { ids: new Set(all), from: first, beside };
}

/** All of the plan that a task is of. */
export function allOfPlan(order: readonly string[], id: string): Selection {
  return { ...NONE_SELECTED, ids: new Set(order.filter((one) => samePlan(one, id))), from: id };
}

/**
 * What is done at a task is done with these: with all that are selected where it is one of them, else
 * with it alone.
 * @param taskOf undefined: the view does not show it any more
 */
export function actedOn<T>(
  { ids }: Pick<Selection, 'ids'>,
  id: string,
  taskOf: (id: string) => T | undefined,
): readonly T[] {
  return [...(ids.has(id) ? ids : [id])].flatMap((one) => taskOf(one) ?? []);
}

function samePlan(a: string, b: string): boolean {
  return a.split('\n', 1)[0] === b.split('\n', 1)[0];
}
