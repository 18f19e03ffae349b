/**
 * Rules as OpenCode writes them, a map from permission to an action or to a map from pattern to action,
 * as a list in their order. A list stays as it is; whatever is neither is left to the schema to refuse.
 * In a map, names that are whole numbers come first: so JavaScript has it.
 */
export function flattenRules(value: unknown): unknown {
  if (!isMap(value)) return value;
  return Object.entries(value).flatMap(([permission, actions]) => {
    if (!isMap(actions)) return [{ permission, action: actions }];
    return Object.entries(actions).map(([pattern, action]) => ({ permission, pattern, action }));
  });
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
