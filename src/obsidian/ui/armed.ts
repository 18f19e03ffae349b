import { useEffect, useState } from 'preact/hooks';

/** ms for which a question accepts no answer, so that an earlier key press answers nothing. */
export const ARM_AFTER = 500;

/** Returns false for `ARM_AFTER` ms after `subject` changed, then true. */
export function useArmed(subject: string): boolean {
  const [armed, setArmed] = useState<string | undefined>(undefined);
  // Counted from the paint: nobody has seen the question before, however long drawing takes.
  useEffect(() => {
    const timer = window.setTimeout(() => setArmed(subject), ARM_AFTER);
    return () => {
      window.clearTimeout(timer);
      setArmed(undefined);
    };
  }, [subject]);
  return armed === subject;
}
