import { Upload } from 'lucide-react';
import { type DragEvent, useId, useState } from 'react';
import styles from './FileDrop.module.css';

/** Takes files that are dropped, or chosen by a click or the keyboard. */
export function FileDrop({
  label,
  onFiles,
  isMultiple = true,
  accept,
}: {
  label: string;
  onFiles: (files: File[]) => void;
  isMultiple?: boolean;
  accept?: string;
}) {
  const id = useId();
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    onFiles([...event.dataTransfer.files]);
  };
  return (
    <div
      className={styles.drop}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <input
        id={id}
        type="file"
        className="visually-hidden"
        multiple={isMultiple}
        accept={accept}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          // Choosing the same file again is a change, too.
          event.target.value = '';
        }}
      />
      <label htmlFor={id}>
        <Upload aria-hidden size={20} /> {label}
      </label>
    </div>
  );
}
