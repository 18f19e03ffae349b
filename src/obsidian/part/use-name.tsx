import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

/**
 * The accessible name of a part of a view. It stands in a hidden element of its own, since over an
 * `aria-label` the app shows a tooltip wherever in the part the pointer is.
 * @returns the attribute that names, and the element that holds the name
 */
export function useName(name: string): readonly [{ 'aria-labelledby': string }, JSX.Element] {
  const [id] = useState(() => `atb-${crypto.randomUUID()}`);
  return [
    { 'aria-labelledby': id },
    <span hidden id={id}>
      {name}
    </span>,
  ];
}
