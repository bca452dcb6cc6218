import Daybook
import DaybookApple
import RecipeBoxEvents
import UIKit

/// The same screen in UIKit.
final class RecipeViewController: UIViewController {
    private let id: Int64
    private let log = Log("app.recipe")
    private let save = UIButton(type: .system)

    init(id: Int64) {
        self.id = id
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { nil }

    override func viewDidLoad() {
        super.viewDidLoad()
        logs(onAppear: RecipeDetail.show(recipeId: id, referrer: .search, cuisine: .japanese))
        save.logs(onTap: RecipeDetail.save(recipeId: id, folderName: nil))
        view.addSubview(save)
        log.debug("Recipe \(id) is ready")
    }
}

extension AppLog {
    /// In an app without SwiftUI, when its window is there: the inspector by a shake, and the records for UI tests. Keep
    /// what it returns.
    func prepare(_ window: UIWindow) -> InspectorPresenter {
        window.addRecords(forUITest: records)
        return InspectorPresenter { self.inspector.map { ($0.handler, $0.token.text) } }
    }
}
