import { useState } from 'preact/hooks';
import { StoreError } from '../../../core/ports';

/** What was refused of the last change, and how to make one. */
export function useSaving(): readonly [string, (work: () => Promise<void>) => Promise<boolean>] {
  const [problem, setProblem] = useState('');
  const save = async (work: () => Promise<void>): Promise<boolean> => {
    try {
      await work();
      setProblem('');
      return true;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      setProblem(error.message);
      return false;
    }
  };
  return [problem, save];
}
