/** Something is at work; the word stands beside it. */
export function Spinner() {
  return <span class="atb-spinner" aria-hidden="true" />;
}
