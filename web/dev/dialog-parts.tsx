import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { openConfirm } from "../src/shared/forms/confirm.tsx";
import { openConfirmByTyping } from "../src/shared/forms/confirm-by-typing.tsx";
import { FormDialog } from "../src/shared/forms/form-dialog.tsx";
import type { ShownPart } from "./specimen.tsx";
import { aProblem } from "./state-parts.tsx";

const soon = () => new Promise((done) => setTimeout(done, 1500));
const fails = async () => {
  await soon();
  throw aProblem;
};

function AForm() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        A form
      </Button>
      <FormDialog title="A form" isOpen={isOpen} close={() => setOpen(false)} yes="Save" submit={fails}>
        <TextInput label="Name" data-autofocus />
      </FormDialog>
    </>
  );
}

export const dialogParts: readonly ShownPart[] = [
  {
    name: "Dialogs",
    states: {
      each: (
        <div className="card-acts">
          <Button
            variant="default"
            onClick={() =>
              openConfirm({ title: "Do it?", consequences: "It takes a moment.", yes: "Do it", act: soon })
            }
          >
            A question
          </Button>
          <Button
            variant="default"
            onClick={() =>
              openConfirm({ title: "Do it?", consequences: "It fails.", yes: "Do it", dangerous: true, act: fails })
            }
          >
            A dangerous one that fails
          </Button>
          <Button
            variant="default"
            onClick={() =>
              openConfirmByTyping({
                title: "For good?",
                consequences: <p>There is no way back.</p>,
                word: "ada",
                yes: "Do it",
                act: soon,
              })
            }
          >
            One that wants a word
          </Button>
          <AForm />
        </div>
      ),
    },
  },
];
