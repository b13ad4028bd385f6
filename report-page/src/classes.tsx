// Which of many classes the page shows: its curves, its what-if and its audit.

interface Props {
  labels: string[];
  chosen: number;
  setChosen: (index: number) => void;
}

export function ClassPicker({ labels, chosen, setChosen }: Props) {
  return (
    <p class="class-picker">
      <label>
        Class shown{" "}
        <select
          id="class"
          value={chosen}
          onChange={(event) => setChosen(Number(event.currentTarget.value))}
        >
          {labels.map((label, k) => (
            <option value={k}>{label}</option>
          ))}
        </select>
      </label>{" "}
      <span class="note">
        Curves and statements are about the score of this class: the logarithm of its probability,
        beside the mean of all classes' logarithms. Regions are the same for all classes.
      </span>
    </p>
  );
}
