/** `960`, `600,000`. */
export function count(number: number): string {
  return number.toLocaleString('en');
}

/** `1 task`, `1,200 tasks`. */
export function counted(number: number, word: string): string {
  return `${count(number)} ${word}${number === 1 ? '' : 's'}`;
}
