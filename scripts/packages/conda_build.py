"""conda_build.py RECIPE OUTPUT - builds a recipe of conda, and runs its tests on what it has built.

The recipe is checked and rendered as it is. It is built without what it requires, from a channel that has no
packages: compilers and libraries are those of this machine.
"""

import json
import pathlib
import sys

import rattler_build as rattler

recipe, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
checked = rattler.Stage0Recipe.from_file(recipe)
for variant in checked.render(rattler.VariantConfig({"c_compiler": ["gcc"]})):
    print("requires", json.dumps(variant.recipe.requirements.to_dict()))
    if not variant.recipe.to_dict().get("tests"):
        sys.exit("the recipe has no tests")

for platform in "linux-64", "linux-aarch64", "noarch":
    folder = output / "channel" / platform
    folder.mkdir(parents=True)
    repodata = {"info": {"subdir": platform}, "packages": {}, "packages.conda": {}}
    (folder / "repodata.json").write_text(json.dumps(repodata))

fields = checked.to_dict()
fields["requirements"] = {}
for variant in rattler.Stage0Recipe.from_dict(fields, recipe_dir=recipe.parent).render(rattler.VariantConfig()):
    built = variant.run_build(
        tool_config=rattler.ToolConfiguration(test_strategy="native"),
        output_dir=output,
        channels=[f"file://{output / 'channel'}"],
        env_isolation=rattler.EnvironmentIsolation.NONE,
    )
    print("built and tested", *(pathlib.Path(package).name for package in built.packages))
