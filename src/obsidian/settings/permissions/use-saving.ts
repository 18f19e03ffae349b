import { useState } from 'preact/hooks';

/** What was refused of the last change, how to make one, and what takes the refusal away. */
export function useSaving(): readonly [
  string,
  (work: () => Promise<void>) => Promise<boolean>,
  () => void,
] {
  const [problem, setProblem] = useState('');
  const save = async (work: () => Promise<void>): Promise<boolean> => {
    try {
      await work();
      setProblem('');
      return true;
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      return false;
    }
  };
  return [problem, save, () => setProblem('')];
}
