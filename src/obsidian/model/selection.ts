/**
 * The selected tasks of a view, by the ids of their rows or cards: path of the board and key. All
 * belong to one plan, so that an action on them is one change of one note.
 */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** start of the range */
  readonly from: string | undefined;
  /**
   * ids selected besides the range that is being extended; undefined: no range is being extended
   */
  readonly outsideRange: ReadonlySet<string> | undefined;
}

export const NONE_SELECTED: Selection = {
  ids: new Set(),
  from: undefined,
  outsideRange: undefined,
};

/** Returns the selection with its range starting at another task. */
export function withRangeStart({ ids }: Selection, from: string): Selection {
  return { ids, from, outsideRange: undefined };
}

/** Returns the selection with one task added or removed; drops tasks of another plan. */
export function toggleSelected({ ids }: Selection, id: string): Selection {
  const own = new Set([...ids].filter((one) => samePlan(one, id)));
  if (!own.delete(id)) own.add(id);
  return { ids: own, from: id, outsideRange: undefined };
}

/**
 * Returns the selection with the range from its start, or from `stop` if it has none, up to a task.
 * @param order ids of the tasks as the view shows them; if it lacks an end, only the two ends are
 *   selected
 */
export function extendSelection(
  { ids, from, outsideRange = ids }: Selection,
  order: readonly string[],
  stop: string | undefined,
  to: string,
): Selection {
  const start = from ?? stop ?? to;
  const first = samePlan(start, to) ? start : to;
  const ends = [order.indexOf(first), order.indexOf(to)];
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const range = low < 0 ? [first, to] : order.slice(low, high + 1);
  const all = [...outsideRange, ...range].filter((one) => samePlan(one, to));
  return { ids: new Set(all), from: first, outsideRange };
}

/** Selects all tasks of the plan that a task belongs to. */
export function selectPlan(order: readonly string[], id: string): Selection {
  return { ...NONE_SELECTED, ids: new Set(order.filter((one) => samePlan(one, id))), from: id };
}

/**
 * The tasks that an action on one task applies to: all selected ones if it is selected, else only
 * itself.
 * @param taskOf returns undefined for a task that the view no longer shows
 */
export function actionTargets<T>(
  { ids }: Pick<Selection, 'ids'>,
  id: string,
  taskOf: (id: string) => T | undefined,
): readonly T[] {
  return [...(ids.has(id) ? ids : [id])].flatMap((one) => taskOf(one) ?? []);
}

function samePlan(a: string, b: string): boolean {
  return a.split('\n', 1)[0] === b.split('\n', 1)[0];
}
