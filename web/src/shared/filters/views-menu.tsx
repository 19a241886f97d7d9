import { Button, TextInput } from "@mantine/core";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { closeDialog, openDialog } from "../forms/dialogs.tsx";
import { DialogForm } from "../forms/form-dialog.tsx";
import { Menu, MenuItem } from "../menu/menu.tsx";
import { parseSearch } from "../router/search-text.ts";
import { showToast } from "../toast/toast.tsx";
import { keepViews, type SavedView, viewsIn, withView } from "./saved-views.ts";

/** The filters that somebody saved on this page, and the way to save those that are set now. They stay in this browser. */
export function ViewsMenu() {
  const { pathname: page, searchStr } = useLocation();
  const navigate = useNavigate();
  const [views, setViews] = useState(() => viewsIn(localStorage, page));
  const search = parseSearch(searchStr);
  const keep = (next: readonly SavedView[], said: string) => {
    setViews(next);
    if (keepViews(localStorage, page, next)) showToast(said);
    else showToast("This browser keeps nothing for this page: the view is gone when you leave it.");
  };
  return (
    <Menu
      button={(attributes) => (
        <Button size="sm" variant="default" {...attributes}>
          Views
        </Button>
      )}
    >
      <div className="menu-label">
        {views.length === 0 ? "No view saved in this browser yet" : "Saved in this browser"}
      </div>
      {views.map((view) => (
        <MenuItem
          key={view.name}
          act={() => void navigate({ to: ".", search: () => view.search as never, replace: false })}
        >
          <bdi>{view.name}</bdi>
        </MenuItem>
      ))}
      <hr />
      <MenuItem
        disabled={Object.keys(search).length === 0}
        act={() =>
          askForName((name) => keep(withView(views, { name, search }), `The view ${name} is saved in this browser.`))
        }
      >
        Save these filters…
      </MenuItem>
      {views
        .filter((view) => isSame(view.search, search))
        .map(({ name }) => (
          <MenuItem
            key={name}
            act={() =>
              keep(
                views.filter((one) => one.name !== name),
                `The view ${name} is removed.`,
              )
            }
          >
            Remove the view {name}
          </MenuItem>
        ))}
    </Menu>
  );
}

function isSame(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const text = (search: object) => JSON.stringify(Object.entries(search).sort());
  return text(one) === text(other);
}

function askForName(save: (name: string) => void): void {
  const dialog = openDialog({
    title: "Save these filters",
    children: <NameForm save={save} close={() => closeDialog(dialog)} />,
  });
}

function NameForm({ save, close }: { readonly save: (name: string) => void; readonly close: () => void }) {
  const [name, setName] = useState("");
  return (
    <DialogForm
      close={close}
      yes="Save"
      isReady={name.trim() !== ""}
      submit={async () => {
        save(name.trim());
      }}
    >
      <TextInput
        label="Name of the view"
        description="Yours alone, in this browser. To give it to others, send them the address of this page."
        data-autofocus
        autoComplete="off"
        maxLength={60}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </DialogForm>
  );
}
