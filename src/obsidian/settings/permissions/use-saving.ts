import { useState } from 'preact/hooks';

/** What was refused of the last change, and how to make one. */
export function useSaving(): readonly [string, (work: () => Promise<void>) => Promise<boolean>] {
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
  return [problem, save];
}
